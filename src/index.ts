// onbook: what an application embeds. Names are listed one by one; a test pins the list.
export { aiSdkModel } from './adapters/ai-sdk-model.ts'
export { fileKeyring } from './adapters/file-keyring.ts'
export { folderFiles } from './adapters/folder-files.ts'
export { memoryStore } from './adapters/memory-store.ts'
export { readPublicKeys, signatureChecker } from './adapters/public-keys.ts'
export { recordedModel, recordingModel } from './adapters/recorded-model.ts'
export { scriptedModel } from './adapters/scripted-model.ts'
export { scratchTables } from './adapters/sqlite-store/scratch-tables.ts'
export { sqliteStore } from './adapters/sqlite-store/sqlite-store.ts'
export { type WorkerValidatorOptions, workerValidator } from './adapters/worker-validator.ts'
export { type Activated, type ActivateRequest, activateVersion } from './engine/activate.ts'
export { type CheckedFile, type CheckSummary, checkPacks, summarize } from './engine/check.ts'
export { collectObjects, type Erasure, eraseObject } from './engine/erase.ts'
export { exportStream } from './engine/export-stream.ts'
export type { CaseResult, CaseStatus } from './engine/run-example.ts'
export { keepSealing, type Sealing, sealStore, sealStreams } from './engine/seal.ts'
export { summarizeCases, type TestOptions, type TestSummary, testPacks } from './engine/test-packs.ts'
export { type Anchor, readAnchors, writeAnchor } from './engine/verify/anchors.ts'
export { type Break, type Verified, type VerifyOptions, verifyRecord } from './engine/verify/verify.ts'
export { bumpPack, loadPack, retireVersion } from './engine/versions.ts'
export { findPack, openWorkspace, type Workspace } from './engine/workspace.ts'
export { Fault, type FaultCode } from './errors.ts'
export type {
  Append,
  CheckSignature,
  Clock,
  Commit,
  Committed,
  Files,
  Inspection,
  KeyPurpose,
  Keyring,
  Model,
  ModelRequest,
  ProjectionTables,
  PublicKey,
  RawEvent,
  RawNode,
  RawObject,
  ReadText,
  Referrer,
  Store,
  StoredEvent,
  Validator,
} from './ports.ts'
