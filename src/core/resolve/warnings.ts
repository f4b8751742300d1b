// Warnings about a node whose prompts were resolved. They change no choice.
import type { Json } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'
import { agentSilence, INLINE_KEYS, type Layer, nodeRefs, type ResolveRequest } from './layers.ts'
import { pinnedText, shown } from './prompt-ref.ts'
import type { Resolution, TraceEntry, Warning } from './resolve.ts'

const INLINE = Object.entries(INLINE_KEYS)

export function warningsOf(request: ResolveRequest, resolutions: readonly Resolution[]): readonly Warning[] {
  const { nodeId, config } = request
  const warnings: Warning[] = []
  const beside = INLINE.filter(([kind, key]) => isText(config[key]) && nodeRefs(config, kind as PromptKind).length > 0)
  if (beside.length > 0) {
    const message = `${beside.map(([, key]) => key).join(', ')} is superseded by the ref beside it`
    warnings.push({ code: 'prompt_ref_supersedes_inline', nodeId, message })
  }
  if (agentSilence(request) === 'agent_binding_unresolvable') {
    const named = typeof config.agentId === 'string' ? shown(config.agentId) : 'that is not named by a text'
    warnings.push({ code: 'agent_binding_unresolvable', nodeId, message: `agent ${named} is not known` })
  }
  const isLost = ({ code }: TraceEntry): boolean => code === 'agent_library_unresolvable'
  const lost = resolutions.find(({ trace }) => trace.some(isLost))?.trace.find(isLost)
  if (lost !== undefined) warnings.push({ code: 'agent_library_unresolvable', nodeId, message: lost.reason })
  const misplaced = resolutions.flatMap(({ kind, resolved, madeFor, trace }) =>
    resolved === null || madeFor === undefined
      ? []
      : [`${pinnedText(resolved.templateId, resolved.version)} is a ${madeFor} template, and ${layerOf(trace)} names it for ${kind}`],
  )
  if (misplaced.length > 0) warnings.push({ code: 'prompt_kind_mismatch', nodeId, message: misplaced.join('; ') })
  return warnings
}

const layerOf = (trace: readonly TraceEntry[]): Layer => trace.find(({ applied }) => applied)!.layer

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''
