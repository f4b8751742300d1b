// The events that record which prompts a run chose and composed: one per kind that was resolved, one per template that was used.
import type { ComposedPrompt } from '../../core/compose/blocks.ts'
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import type { NodeResolution } from '../../core/resolve/resolve.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { Keep, Keeper } from './keep.ts'
import type { ResolvedTemplate } from './step-parts.ts'

/** On a host that does not support prompts no chain is walked for refs, so there is no trace: the run logs which refs it left aside. */
export function opaqueEvents(nodeId: string, { warnings }: NodeResolution, refs: readonly string[]): readonly RunEvent[] {
  const left = refs.length === 0 ? [] : [{ code: 'prompt_ref_opaque', message: opaqueText(refs) }]
  return loggedEvents(nodeId, [...warnings, ...left])
}

export const opaqueText = (refs: readonly string[]): string =>
  `this host does not support prompts, so no ref is resolved: ${refs.join(', ')}`

const loggedEvents = (nodeId: string, warnings: readonly { readonly code: string; readonly message: string }[]): readonly RunEvent[] =>
  warnings.map(({ code, message }): RunEvent => ({ type: 'log.appended', level: 'warn', message, code, nodeId }))

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
  return [...loggedEvents(nodeId, warnings), ...traced]
}

/** In the order of the prompt. Parts from outside the library, such as the role, are recorded on the step alone. */
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
