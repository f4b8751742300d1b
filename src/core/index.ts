// Folder: Decides: pure functions of their arguments. No clock, disk, network, randomness, environment or await, and no throw for an expected outcome.
// onbook/core: pure and browser-safe. Names are listed one by one; a test pins the list.
export { type BindOptions, bindVariables, type Sources, type Trust } from './compose/bind.ts'
export { type Composed, type ComposedPrompt, composePrompt as compose, type PromptParts } from './compose/blocks.ts'
export type { ProviderSession, Sending } from './compose/delta.ts'
export { type PromptSegment, type RenderedPrompt, type RenderPromptResult, renderPrompt } from './compose/render-prompt.ts'
export { canonicalJson, type Digest, digestBytes, digestJson, digestText, isDigest, type Json } from './digest/digest.ts'
export { type ExampleMessages, type Message, messagesFor } from './example/messages.ts'
export { type ReadReply, readReply } from './example/reply.ts'
export { authorize, type GateFacts, type Judged, type Verdict as GateVerdict } from './gate/authorize.ts'
export { type Explained, explainCall, type ProspectiveCall } from './gate/explain.ts'
export { type Asking, type Grant, type Granting, type GrantQuestion, grantOf } from './gate/grants.ts'
export { DEFAULT_POLICY, type HostPolicy } from './gate/host-policy.ts'
export { type ReadPolicy, readPolicy } from './gate/read-policy.ts'
export { type LibraryTemplate, type TemplateVariable, templateDigest } from './library/template.ts'
export { type Config, readConfig } from './lint/config.ts'
export type { FoundInFile, Layout } from './lint/layout.ts'
export { type Finding, type LintOptions, lintPack } from './lint/lint.ts'
export { lintLayout } from './lint/lint-layout.ts'
export type { Fix, LayoutRule, Rule, RuleHead, Severity } from './lint/rule.ts'
export { RULES } from './lint/rules.ts'
export { type ChatMessage, writeMessage } from './messages/message.ts'
export type { ModelCall } from './messages/model-call.ts'
export { type ReadMessages, readMessages } from './messages/read-messages.ts'
export type { Receipt } from './messages/receipt.ts'
export type { Bump, Change } from './pack/changes.ts'
export { compilePack, type PromptKind, type Template } from './pack/compile.ts'
export type { ContentProblem } from './pack/file-content.ts'
export { packFormat } from './pack/format.ts'
export { type Example, type Pack, type ReadPack, readPack, semanticDigest, type Variable } from './pack/pack.ts'
export { type Bound, bindValues, type ValueProblem } from './pack/values.ts'
export { type CompiledPrelude, type ContentFile, compilePrelude } from './prelude/compile.ts'
export { type ComposedPrelude, type Prelude, readPrelude } from './prelude/prelude.ts'
export { type Checkpoint, readCheckpoint, type SealedHead, type Signature, type Statement, statementBytes } from './record/checkpoint.ts'
export { decodeEvent, type EventDraft, type ReadEvent, type RecordedEvent, readEvent, type StreamHead } from './record/event.ts'
export type { Cell, Change as RowSource, ProjectedRow, Projection, Row, Source } from './record/projection.ts'
export type { BreakCode } from './record/walk.ts'
export { type BoundAgent, type KindRefs, LAYERS, type Layer, type ResolveRequest } from './resolve/layers.ts'
export { type PromptRef, type ReadRef, readPromptRef, refText } from './resolve/prompt-ref.ts'
export {
  type Found,
  type Lookup,
  type NodeResolution,
  type Pinned,
  type Resolution,
  resolveKind,
  resolveNode as resolve,
  type TraceEntry,
  type Warning,
} from './resolve/resolve.ts'
export { type ReadRole, type RoleFile, type RoleProblem, readRole } from './role/role.ts'
export { shippedRoles } from './role/shipped-roles.ts'
export { compareJson, type Difference, textDiff } from './schema/compare-json.ts'
export type { Schemas } from './schema/schemas.ts'
export type { Question, Verdict } from './schema/verdict.ts'
export type { SessionCommand } from './session/commands.ts'
export {
  type KnownModels,
  type PromptSource,
  type RunConfig,
  readSessionConfig,
  type Selection,
  type SessionConfig,
  type WorkspaceSelector,
} from './session/config.ts'
export type { Decided as DecidedSession, Refusal as SessionRefusal } from './session/draft.ts'
export { type ApplyWhen, fromRecorded as sessionEventOf, type SessionEvent } from './session/events.ts'
export type { History, HistoryHead, StoredText } from './session/history.ts'
export { foldSession } from './session/reduce.ts'
export type { Snapshot } from './session/snapshot.ts'
export type { SessionState } from './session/state.ts'
export type { Answer as WorkspaceAnswer, SyncInput, SyncPlan, SyncResult, WorkspaceEffect } from './session/sync.ts'
export type { TemplateProblem, TemplateTree } from './template/ast.ts'
export { type Parsed, parseTemplate } from './template/parse.ts'
export { type Rendered, type RenderOptions, type RenderProblem, renderTemplate, type Segment } from './template/render.ts'
export { findUses, type Use, type Uses } from './template/uses.ts'
export type { Asked, AskedCall, Calling } from './tools/asked-calls.ts'
export { type Catalog, type CheckSchema, type Descriptor, readCatalog } from './tools/catalog.ts'
export type { GraphTool } from './tools/graph-descriptors.ts'
export {
  type ReadToolCalls,
  readToolCalls,
  type TextToolCall,
  type ToolCallDiagnostic,
  type ToolCallOptions,
} from './tools/read-tool-calls.ts'
export { type ReadTools, readTools, type ToolChoice } from './tools/read-tools.ts'
export type { DiagnosticCode } from './tools/tool-call-diagnostics.ts'
export type { MaterializedStep, StepInput, StepOptions, StepRequest } from './turn/materialize.ts'
export { type ReadIndex, readIndex, type WorkspaceIndex } from './workspace/index-file.ts'
export type { WorkspaceGrant, WorkspacePolicy } from './workspace/policy.ts'
