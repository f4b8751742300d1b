// Translates a resolution trace to OpenWOP's agent.promptResolved event: the closed vocabulary of RFC 0029, one entry for each normative layer.
import type { PromptKind } from '../../core/pack/compile.ts'
import type { Layer } from '../../core/resolve/layers.ts'
import type { Resolution, TraceEntry } from '../../core/resolve/resolve.ts'

export interface ChainEntry {
  readonly layer: Layer
  readonly source?: string
  readonly applied: boolean
  readonly reason?: string
}

export interface PromptResolved {
  readonly nodeId: string
  readonly kind: PromptKind
  readonly agentId?: string
  readonly chain: readonly ChainEntry[]
  readonly resolved: string | null
}

const AGENT: readonly Layer[] = ['agent-intrinsic', 'agent-overrides', 'agent-library-default']

/** The fields of a resolution that the event contains. The record keeps no others. */
export type Traced = Pick<Resolution, 'nodeId' | 'kind' | 'agentId' | 'trace'>

export function toPromptResolved({ nodeId, kind, agentId, trace }: Traced): PromptResolved {
  const of = (layer: Layer) => trace.find(entry => entry.layer === layer)
  const run = of('run-configurable')
  // Also when the run's ref cannot be honoured: it is the reason why no lower layer was applied.
  const used = run?.code === 'nothing_here' ? undefined : run
  const entries = [used, of('node'), agentEntry(trace, kind), of('workflow-defaults'), of('host-defaults')]
  const chain = entries.filter(entry => entry !== undefined).map(toChainEntry)
  const resolved = trace.find(({ applied }) => applied)?.ref ?? null
  return { nodeId, kind, ...(agentId === null ? {} : { agentId }), chain, resolved }
}

/** The agent layer that has a ref; when none has one, the first that could have. */
function agentEntry(trace: readonly TraceEntry[], kind: PromptKind): TraceEntry | undefined {
  const entries = trace.filter(({ layer }) => AGENT.includes(layer) && (kind === 'system' || layer !== 'agent-intrinsic'))
  return entries.find(({ ref, code }) => ref !== null || code === 'prompt_ref_invalid') ?? entries[0]
}

const toChainEntry = ({ layer, ref, applied, reason }: TraceEntry): ChainEntry => ({
  layer,
  ...(ref === null ? {} : { source: ref }),
  applied,
  ...(applied ? {} : { reason }),
})
