// Builds the request of one step: messages and tools by digest, and parameters. The cost does not depend on the history's
// length. Adds no defaults.
import { type Digest, digestJson, type Json } from '../digest/digest.ts'
import type { PromptSource, ReasoningEffort, RunConfig } from '../session/config.ts'
import { type History, type HistoryHead, historyHead, readHistory, type StoredText } from '../session/history.ts'
import { preludeOf } from '../session/prelude-ladder.ts'
import type { Snapshot } from '../session/snapshot.ts'
import type { LineCalling } from '../tools/asked-calls.ts'
import type { ToolChoice } from '../tools/read-tools.ts'

/** The options of a step beside its messages. A missing field stays missing: the digest of the request covers only present fields. */
export interface StepOptions {
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly toolChoice?: ToolChoice
  readonly stopSequences?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  readonly providerOptions?: Digest
  readonly responseFormat?: Digest
}

export interface StepParameters extends StepOptions {
  readonly provider: string
  readonly model: string
  readonly maxTokens?: number
  readonly reasoningEffort?: ReasoningEffort
  /** The defaults of the prelude, for fields that are not set here. */
  readonly defaults?: Digest
}

/** Everything that decides the bytes that go to a provider. */
export interface StepRequest {
  readonly system: Digest | null
  readonly prelude: readonly Digest[]
  readonly history: HistoryHead
  readonly user: Digest | null
  /** Null: tools are not set. An empty list: no tools. */
  readonly tools: readonly Digest[] | null
  readonly parameters: StepParameters
  /** Left out when tools are called natively. Otherwise the messages explain line calls, and the reply is parsed for them. */
  readonly calls?: LineCalling
}

export interface StepInput {
  readonly config: RunConfig
  /** Active for this step. */
  readonly snapshot: Snapshot | null
  readonly history: History
  readonly system?: Digest | null
  readonly user?: Digest | null
  readonly toolDigests?: readonly Digest[] | null
  /** The host's own catalog: the last rung. */
  readonly hostCatalog?: Digest | null
  readonly calls?: LineCalling
  readonly options?: StepOptions
}

export type ToolSource = 'step' | 'run' | 'snapshot' | 'host' | 'none'

export interface MaterializedStep {
  readonly request: StepRequest
  readonly requestDigest: Digest
  readonly source: PromptSource
  readonly toolSource: ToolSource
  /** Content that the request names and that may not be stored yet. */
  readonly stored: StoredText | null
}

export type MaterializeRefusal = 'provider_unset' | 'model_unset' | 'message_refs_empty'

export type Materialized =
  | ({ readonly ok: true } & MaterializedStep)
  | { readonly ok: false; readonly code: MaterializeRefusal; readonly message: string }

export function materializeStep(input: StepInput): Materialized {
  const { config, system = null, user = null, options = {} } = input
  const provider = config.provider.trim()
  const model = config.model.trim()
  if (provider === '') return refuse('provider_unset', 'the run has no provider')
  if (model === '') return refuse('model_unset', 'the run has no model')

  const { source, prelude, defaults } = preludeOf(config, input.snapshot)
  const { toolSource, tools } = toolsOf(input)
  const { stored, ...history } = historyHead(input.history)
  if (system === null && user === null && prelude.length === 0 && history.count === 0)
    return refuse('message_refs_empty', 'the step has no message: no prelude, no history and nothing new')

  const parameters: StepParameters = {
    provider,
    model,
    ...(config.maxTokens === null ? {} : { maxTokens: config.maxTokens }),
    ...(config.reasoningEffort === null ? {} : { reasoningEffort: config.reasoningEffort }),
    ...samplingOf(config),
    ...(defaults === null ? {} : { defaults }),
    ...options,
  }
  const calls = input.calls === undefined ? {} : { calls: input.calls }
  const request: StepRequest = { system, prelude, history, user, tools, parameters, ...calls }
  return { ok: true, request, requestDigest: digestJson(request as unknown as Json), source, toolSource, stored }
}

const samplingOf = ({ temperature, topP, seed, providerOptions }: RunConfig): StepOptions => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { topP }),
  ...(seed === undefined ? {} : { seed }),
  ...(providerOptions === undefined ? {} : { providerOptions }),
})

const refuse = (code: MaterializeRefusal, message: string): Materialized => ({ ok: false, code, message })

/** The step's, the run's, the snapshot's, the host's. Chosen apart from the messages. */
export function toolsOf({
  toolDigests = null,
  config,
  snapshot,
  hostCatalog = null,
}: Pick<StepInput, 'toolDigests' | 'config' | 'snapshot' | 'hostCatalog'>): {
  readonly toolSource: ToolSource
  readonly tools: readonly Digest[] | null
} {
  if (toolDigests !== null) return { toolSource: 'step', tools: toolDigests }
  if (config.toolDigests !== null) return { toolSource: 'run', tools: config.toolDigests }
  const { catalog = null } = snapshot ?? {}
  if (catalog !== null) return { toolSource: 'snapshot', tools: [catalog.digest] }
  return hostCatalog === null ? { toolSource: 'none', tools: null } : { toolSource: 'host', tools: [hostCatalog] }
}

/** The messages of a request in the order in which they are sent; null when a piece of the history cannot be read. */
export function messagesOf(request: StepRequest, read: (digest: Digest) => string | null): readonly Digest[] | null {
  const history = readHistory(request.history, read)
  return history === null ? null : messagesAround(request, history)
}

/** The same, of a history that was read. */
export const messagesAround = ({ system, prelude, user }: StepRequest, history: readonly Digest[]): readonly Digest[] => [
  ...(system === null ? [] : [system]),
  ...prelude,
  ...history,
  ...(user === null ? [] : [user]),
]
