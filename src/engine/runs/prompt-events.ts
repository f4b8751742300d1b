// What a run remembers of the prompts it chose and composed: one event for each kind that was looked for, one for each template that was used.
import type { ComposedPrompt } from '../../core/compose/blocks.ts'
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import type { NodeResolution } from '../../core/resolve/resolve.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { Keep, Keeper } from './keep.ts'
import type { ResolvedTemplate } from './step-parts.ts'

export function tracedEvents(nodeId: string, { resolutions, warnings }: NodeResolution, keep: Keep): readonly RunEvent[] {
  const traced = resolutions.map(
    ({ kind, slot, agentId, resolved, trace }): RunEvent => ({
      type: 'prompt.traced',
      nodeId,
      kind,
      slot,
      agentId,
      resolved: resolved === null ? null : pinnedText(resolved.templateId, resolved.version),
      trace: keep(JSON.stringify(trace)),
    }),
  )
  const logged = warnings.map(({ code, message }): RunEvent => ({ type: 'log.appended', level: 'warn', message, code, nodeId }))
  return [...logged, ...traced]
}

/** In the order in which they stand in the prompt. What is not of the library, such as the role, is on the step alone. */
export function composedEvents(
  nodeId: string,
  { templates: used }: ComposedPrompt,
  templates: readonly ResolvedTemplate[],
  { keep, keepAs }: Keeper,
): readonly RunEvent[] {
  const left = [...templates]
  return used.flatMap(({ ref, digest, kind, part, text, templateHash, variableHashes, contentTrust }): readonly RunEvent[] => {
    if (kind === null || part !== kind) return []
    const [found] = left.splice(
      left.findIndex(one => one.ref === ref && one.kind === kind),
      1,
    )
    const values = keep(canonicalJson({ values: found?.values ?? {} } as unknown as Json))
    return [
      {
        type: 'prompt.composed',
        nodeId,
        ref,
        kind,
        template: digest,
        body: keepAs(templateHash, text),
        variableHashes,
        values,
        contentTrust,
      },
    ]
  })
}
