// Prints which version of each template is active after a command.
import type { ActiveTemplate } from '../../engine/packs/publish-packs.ts'
import { visible } from './visible.ts'

/** A line for each pack. @param refs pinned refs; versions among them that are not active are named too */
export function activeLines(active: readonly ActiveTemplate[], refs: readonly string[]): readonly string[] {
  const lines = new Set<string>()
  for (const { templateId, version } of active) {
    const prefix = `prompt:${templateId}@`
    const others = refs.filter(ref => ref.startsWith(prefix)).map(ref => ref.slice(prefix.length))
    const inactive = others.filter(other => other !== version)
    const beside = inactive.length === 0 ? '' : `; not active: ${inactive.join(', ')}`
    const text = ` ${version ?? 'no version: a ref must name one'}${beside}`
    // The templates of one pack change together: summarizer, summarizer.few-shot.
    const pack = active.find(one => templateId.startsWith(`${one.templateId}.`) && one.version === version)?.templateId ?? templateId
    lines.add(`${pack}${text}`)
  }
  return [...lines].map(text => visible(`Active: ${text}`))
}
