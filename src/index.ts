// onbook: what an application embeds. Names are listed one by one; a test pins the list.

export { aiSdkChat } from './adapters/chat/ai-sdk-chat.ts'
export { recordedChat, recordingChat } from './adapters/chat/recorded-chat.ts'
export { scriptedChat } from './adapters/chat/scripted-chat.ts'
export type { CliAgentSettings } from './adapters/cli-agent/agent.ts'
export { type CliAgentChat, cliAgentChat } from './adapters/cli-agent/cli-agent-chat.ts'
export { type ExportedRun, exportedStore } from './adapters/exported-run/exported-store.ts'
export { folderFiles } from './adapters/folder/folder-files.ts'
export { type FolderFile, type FolderOptions, type FolderTree, folderTree } from './adapters/folder/folder-tree.ts'
export { type StatCache, statCache } from './adapters/folder/folder-tree-cache.ts'
export { fileKeyring } from './adapters/keys/file-keyring.ts'
export { readPublicKeys, signatureChecker } from './adapters/keys/public-keys.ts'
export { environmentSecrets, fileSecrets, onlySecrets, secretsFrom } from './adapters/keys/secrets.ts'
export { mcpToolServer } from './adapters/mcp/mcp-tool-server.ts'
export type { McpServerSettings } from './adapters/mcp/settings.ts'
export { memoryStore } from './adapters/memory-store/memory-store.ts'
export { aiSdkModel } from './adapters/models/ai-sdk-model.ts'
export { recordedModel, recordingModel } from './adapters/models/recorded-model.ts'
export { scriptedModel } from './adapters/models/scripted-model.ts'
export { repoDetails } from './adapters/repo/repo-details.ts'
export { repoRoles } from './adapters/repo/repo-roles.ts'
export { type RepoToolOptions, repoTools } from './adapters/repo-tools/repo-tools.ts'
export { repoWatch, type WatchLimits } from './adapters/repo-watch/repo-watch.ts'
export { type KnownIn, scrubKnown } from './adapters/scrub/scrub-known.ts'
export { scratchTables } from './adapters/sqlite-store/inspect/scratch-tables.ts'
export { sqliteStore } from './adapters/sqlite-store/sqlite-store.ts'
export { type WorkerValidatorOptions, workerValidator } from './adapters/validator/worker-validator.ts'
export type { FunctionTool } from './book/function-tools.ts'
export type { Reply } from './book/say.ts'
export { type Book, connect, createTestBook, type OnbookOptions, onbook, type TestBookOptions } from './book.ts'
export { introspectSession } from './engine/bindings/introspect-session.ts'
export { workspaceRead } from './engine/bindings/workspace-read.ts'
export { type BlameAnswer, blameRun } from './engine/blame/blame.ts'
export { type LoadedAgent, listAgents, loadAgent, publishAgent } from './engine/definitions/agents.ts'
export {
  type DefinitionWriter,
  type PublishedDefinition,
  type PublishOptions,
  type RemoveOptions,
  removeDefinition,
} from './engine/definitions/publish.ts'
export type { DefinitionRow } from './engine/definitions/rows.ts'
export { type LoadedWorkflow, listWorkflows, loadWorkflow, publishWorkflow } from './engine/definitions/workflows.ts'
export { diffRuns, diffSteps, type RunSide } from './engine/diff/diff-runs.ts'
export { type Activated, type ActivateRequest, activateVersion } from './engine/packs/activate.ts'
export { type CheckedFile, type CheckSummary, checkPacks, summarize } from './engine/packs/check.ts'
export { type CheckedLayout, checkLayout } from './engine/packs/check-layout.ts'
export { findPack, openWorkspace, type Workspace } from './engine/packs/pack-folder.ts'
export type { CaseResult, CaseStatus } from './engine/packs/run-example.ts'
export { summarizeCases, type TestOptions, type TestSummary, testPacks } from './engine/packs/test-packs.ts'
export { bumpPack, loadPack, retireVersion } from './engine/packs/versions.ts'
export { type PrefixAnswer, prefixOfRun } from './engine/prefix/prefix.ts'
export { collectObjects, type Erasure, eraseObject } from './engine/record/erase.ts'
export { exportStream } from './engine/record/export-stream.ts'
export { PRODUCT_PROJECTIONS } from './engine/record/projections.ts'
export {
  keepSealing,
  type RefusedStream,
  type Sealing,
  type SealingLog,
  type SealResult,
  sealStore,
  sealStreams,
} from './engine/record/seal.ts'
export { type Replayed, type ReplayLevel, type ReplayOptions, replayRun } from './engine/replay/replay.ts'
export { type ListedProblem, type ListedRole, listRoles } from './engine/roles/list-roles.ts'
export { type LoadedRole, loadRole, type RoleSource } from './engine/roles/load-role.ts'
export { type ExportRun, exportRun } from './engine/run-files/export-run.ts'
export { type LoadedRun, loadRun } from './engine/runs/load.ts'
export { listRuns, type RunSummary } from './engine/runs/runs.ts'
export type { CreateRun } from './engine/runs/start/create.ts'
export type { RunWorld } from './engine/runs/start/frozen.ts'
export { type RunParts, type RunSubmission, type RunWork, runWork, type SubmittedRun } from './engine/runs/work.ts'
export type { RunPlace } from './engine/runs/write-run.ts'
export { type LoadedSession, loadSession } from './engine/sessions/load.ts'
export { performSync } from './engine/sessions/perform-sync.ts'
export { listSessions, type SessionSummary } from './engine/sessions/sessions.ts'
export { type SessionPlace, type Submission, type Submitted, submit as submitCommand } from './engine/sessions/submit.ts'
export { type SessionWork, sessionWork } from './engine/sessions/work.ts'
export { type AdoptedTools, adoptedTools, type ToolServers } from './engine/tools/adopted-tools.ts'
export { type Adopted, type AdoptRequest, adoptTools, type Dropped, type DropRequest, dropTools } from './engine/tools/adoptions.ts'
export { type BuiltCall, buildCall } from './engine/turns/model-call.ts'
export type { TurnParts } from './engine/turns/performing.ts'
export { type Anchor, readAnchors, type WrittenAnchor, writeAnchor } from './engine/verify/anchors.ts'
export { type Break, type Verified, type VerifyOptions, verifyRecord } from './engine/verify/verify.ts'
export { type WhyAnswer, type WhyQuestion, whyRun } from './engine/why/why.ts'
export { type Checker, type ChecksReport, checksOf, checkVersion, reportOf, type VersionChecks } from './engine/workspaces/checks.ts'
export {
  type CommitChanges,
  type CommitResult,
  commitChanges,
  type WorkspaceChange,
  type WorkspaceWriter,
} from './engine/workspaces/commit.ts'
export { type PublishTree, publishTree, type SourceFile, type TreeSource } from './engine/workspaces/publish.ts'
export { diffVersions, listFiles, readAnnotations, readBytes, readRef } from './engine/workspaces/read.ts'
export {
  listVersions,
  listWorkspaces,
  type Resolved,
  resolveWorkspace,
  type VersionChoice,
  type WorkspaceUser,
  type WorkspaceVersion,
} from './engine/workspaces/versions.ts'
export { Fault, type FaultCode } from './errors.ts'
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
  RepoChange,
  RepoWatch,
  RoleFiles,
  Secrets,
  Store,
  StoredEvent,
  ToolListing,
  ToolServer,
  Validator,
} from './ports.ts'
