// Translates a composed prompt to OpenWOP's prompt.composed event: one rendered template in the closed vocabulary of RFC 0027.
import type { RenderedPrompt } from '../../core/compose/render-prompt.ts'
import type { PromptKind } from '../../core/pack/compile.ts'

export interface PromptComposed {
  readonly nodeId: string
  readonly refs: readonly string[]
  readonly kind: 'system+user' | 'system-only' | 'user-only' | 'agent-reasoning'
  readonly hash: string
  readonly composed?: string
  readonly systemPrompt?: string
  readonly userPrompt?: string
  readonly variableHashes?: Readonly<Record<string, string>>
  readonly contentTrust?: 'trusted' | 'untrusted'
}

/** The text is null when it was erased. */
type ComposedText = Pick<RenderedPrompt, 'templateHash' | 'variableHashes' | 'contentTrust'> & { readonly text: string | null }

const KIND: Readonly<Record<PromptKind, PromptComposed['kind']>> = {
  system: 'system-only',
  user: 'user-only',
  'few-shot': 'agent-reasoning',
  'schema-hint': 'agent-reasoning',
}

export function toPromptComposed(
  nodeId: string,
  kind: PromptKind,
  ref: string,
  { text, templateHash, variableHashes, contentTrust }: ComposedText,
  observability: 'off' | 'hashed' | 'full',
): PromptComposed {
  const bodies =
    text === null
      ? {}
      : { composed: text, ...(kind === 'system' ? { systemPrompt: text } : {}), ...(kind === 'user' ? { userPrompt: text } : {}) }
  return {
    nodeId,
    refs: [ref],
    kind: KIND[kind],
    hash: templateHash,
    ...(observability === 'full' ? bodies : {}),
    ...(observability === 'off' ? {} : { variableHashes }),
    contentTrust,
  }
}
