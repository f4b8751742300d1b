// onbook: what an application imports. Names are listed one by one, by what they are for; a test pins the list.

export { aiSdkChat } from './adapters/chat/ai-sdk-chat.ts'
export { recordedChat, recordingChat } from './adapters/chat/recorded-chat.ts'
export { scriptedChat } from './adapters/chat/scripted-chat.ts'
export type { CliAgentSettings } from './adapters/cli-agent/agent.ts'
export { type CliAgentChat, cliAgentChat } from './adapters/cli-agent/cli-agent-chat.ts'
// A record without a host: stores, keys, verification.
export { type ExportedRun, exportedStore } from './adapters/exported-run/exported-store.ts'
// Packs in a folder: checked and tested, without a record.
export { folderFiles } from './adapters/folder/folder-files.ts'
export { fileKeyring } from './adapters/keys/file-keyring.ts'
export { readPublicKeys, signatureChecker } from './adapters/keys/public-keys.ts'
export { memoryStore } from './adapters/memory-store/memory-store.ts'
// Models: for `onbook({ models })`, and for the tests of packs.
export { aiSdkModel } from './adapters/models/ai-sdk-model.ts'
export { recordedModel, recordingModel } from './adapters/models/recorded-model.ts'
export { scriptedModel } from './adapters/models/scripted-model.ts'
export { scratchTables } from './adapters/sqlite-store/inspect/scratch-tables.ts'
export { sqliteStore } from './adapters/sqlite-store/sqlite-store.ts'
export { type WorkerValidatorOptions, workerValidator } from './adapters/validator/worker-validator.ts'
export type { FunctionTool } from './book/function-tools.ts'
export type { Reply } from './book/say.ts'
// The front door.
export { type Book, connect, createTestBook, type OnbookOptions, onbook, type TestBookOptions } from './book.ts'
export { ClientError } from './client/client-error.ts'
export { type CheckedFile, type CheckSummary, checkPacks, summarize } from './engine/packs/check.ts'
export { type CheckedLayout, checkLayout } from './engine/packs/check-layout.ts'
export { openWorkspace, type Workspace } from './engine/packs/pack-folder.ts'
export type { CaseResult, CaseStatus } from './engine/packs/run-example.ts'
export { summarizeCases, type TestOptions, type TestSummary, testPacks } from './engine/packs/test-packs.ts'
export { collectObjects, type Erasure, eraseObject } from './engine/record/erase.ts'
export { exportStream } from './engine/record/export-stream.ts'
export { PRODUCT_PROJECTIONS } from './engine/record/projections.ts'
export { type SealResult, sealStore } from './engine/record/seal.ts'
export { type ExportRun, exportRun } from './engine/run-files/export-run.ts'
export { type Anchor, readAnchors, type WrittenAnchor, writeAnchor } from './engine/verify/anchors.ts'
export { type Break, type Verified, type VerifyOptions, verifyRecord } from './engine/verify/verify.ts'
export { Fault, type FaultCode } from './errors.ts'

// Interfaces that an application may implement.
export type {
  Append,
  Binding,
  BoundCall,
  CallOptions,
  ChatModel,
  CheckSignature,
  Clock,
  Commit,
  Committed,
  Delta,
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
