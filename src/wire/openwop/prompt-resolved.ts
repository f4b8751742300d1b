// agent.promptResolved: our trace in the closed words of RFC 0029, one entry for each normative layer.
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

/** What of a resolution is on the wire: the record keeps no more of it. */
export type Traced = Pick<Resolution, 'nodeId' | 'kind' | 'agentId' | 'trace'>

export function toPromptResolved({ nodeId, kind, agentId, trace }: Traced): PromptResolved {
  const of = (layer: Layer) => trace.find(entry => entry.layer === layer)
  const run = of('run-configurable')
  // Also when the run's ref cannot be honoured: it is why nothing below was applied.
  const used = run?.code === 'nothing_here' ? undefined : run
  const entries = [used, of('node'), agentEntry(trace, kind), of('workflow-defaults'), of('host-defaults')]
  const chain = entries.filter(entry => entry !== undefined).map(toChainEntry)
  const resolved = trace.find(({ applied }) => applied)?.ref ?? null
  return { nodeId, kind, ...(agentId === null ? {} : { agentId }), chain, resolved }
}

/** The agent source that spoke, or that would have; when none has anything to say, the first that could. */
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
