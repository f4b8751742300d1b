// Folder: The SDK: typed requests and event streams without dependencies. It imports only types of the wire.
// onbook/client: the client of a host, for browsers and Node, without dependencies. A test pins the list of exported names.
export type { Bundle } from '../wire/onbook/bundle.ts'
export type {
  AgentSummary,
  DefinitionDocument,
  PublishedAgent,
  PublishedWorkflow,
  WorkflowSummary,
} from '../wire/onbook/definitions.ts'
export type { LabelMove, LabelState } from '../wire/onbook/labels.ts'
export type {
  ActivatedPack,
  ActivatePackRequest,
  PublishedPacks,
  PublishPacksRequest,
  RetiredPack,
  RetirePackRequest,
} from '../wire/onbook/packs.ts'
export type { ExplainedPolicy, ExplainRequest, PolicyDescription, WireGrant } from '../wire/onbook/policy.ts'
export type {
  ContentTrust,
  JsonValue,
  PinnedTemplate,
  PromptKind,
  PromptResolution,
  PromptTemplate,
  PromptVariable,
  PromptVersion,
  Rendered,
  RenderRequest,
  ResolutionStep,
  Resolved,
  ResolveRequest,
  WireRef,
} from '../wire/onbook/prompts.ts'
export type { RoleDescription, RoleFinding, RoleOrigin, RoleSummary } from '../wire/onbook/roles.ts'
export type { StepPrompt, UsedPrompt, WholePrompt } from '../wire/onbook/run-prompts.ts'
export type {
  AskedApproval,
  RunDescription,
  RunMode,
  StartedRun,
  StartRunRequest,
  WireApproval,
  WireRunEvent,
  WireRunSummary,
} from '../wire/onbook/runs.ts'
export type {
  ApplyAnswer,
  ApplyWhen,
  MessageInput,
  RunRequest,
  SessionCommandRequest,
  SessionDescription,
  SessionSummary,
  SyncAnswer,
  SyncRequest,
  TranscriptPage,
  WirePackChange,
  WireSessionConfig,
  WireSnapshot,
} from '../wire/onbook/sessions.ts'
export type { Snapshot } from '../wire/onbook/snapshot.ts'
export type {
  AdoptedTool,
  AdoptToolsRequest,
  DroppedTool,
  DropToolsRequest,
  ToolOverview,
  ToolServerSummary,
  ToolSummary,
} from '../wire/onbook/tools.ts'
export type { Agents, AgentWrite, Definitions, DefinitionWrite, StoredDefinition, Workflows } from './calls/definitions.ts'
export type { Labels } from './calls/labels.ts'
export type { PromptFilter } from './calls/list-prompts.ts'
export type { Objects } from './calls/objects.ts'
export type { Packs } from './calls/packs.ts'
export type { Policy } from './calls/policy.ts'
export type { FoundPrompt, MatchedWrite, Prompts, Stored } from './calls/prompts.ts'
export type { BlamedStep, PrefixEntry, Questions, ReplayedRun, RunDifferences, VerifiedRecord, WhyEntry } from './calls/questions.ts'
export type { Roles } from './calls/roles.ts'
export type { Approvals, RunEventOptions, RunFilter, RunStreamMode, Runs } from './calls/runs.ts'
export type { ApplyOptions, Sessions } from './calls/sessions.ts'
export type { Tools } from './calls/tools.ts'
export type {
  CommittedWorkspace,
  WorkspaceChecks,
  WorkspaceCommit,
  WorkspaceDifference,
  WorkspaceEntry,
  WorkspaceHead,
  WorkspaceSummary,
  Workspaces,
  WorkspaceVersion,
} from './calls/workspaces.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { type ClientCode, ClientError } from './client-error.ts'
export { type EventParser, eventParser, type ServerEvent } from './event-stream.ts'
export type { EventOptions } from './events.ts'
export type { Answer, Freshness, ReadOptions } from './kept.ts'
export type { Ref, RefParts } from './ref.ts'
export type { CallOptions } from './transport.ts'
export type { WriteOptions } from './write.ts'
