import semver from 'semver'
import { claimOf, versionOfPath } from '../../../pack/identity.ts'
import { nearest } from '../../../pack/nearest.ts'
import { type PromptRef, refText } from '../../../resolve/prompt-ref.ts'
import { readRefs, refsInAgent, refsInWorkflow } from '../../../workflow/written-refs.ts'
import { documentsOf } from '../../documents.ts'
import type { FoundInFile, Layout } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const refResolves: LayoutRule = {
  name: 'ref-resolves',
  summary: 'Every ref of an agent or a workflow leads to a template of a pack in this workspace.',
  // It may have been published from elsewhere.
  severity: 'warning',

  *checkLayout(layout) {
    const { agents, workflows } = documentsOf(layout)
    const versions = versionsByTemplate(layout)
    const all = [
      ...agents.map(({ file, written }) => ({ file, refs: refsInAgent(written) })),
      ...workflows.map(({ file, written }) => ({ file, refs: refsInWorkflow(written) })),
    ]
    for (const { file, refs } of all)
      for (const { pointer, ref } of readRefs(refs).sound) {
        const problem = problemWith(ref, versions)
        if (problem !== null) yield { file, pointer, ...problem }
      }
  },
}

type Versions = ReadonlyMap<string, readonly string[]>

/** The templates of packs, by the names of their files. Whether a pack has examples or a schema is not checked. */
function versionsByTemplate({ packs }: Layout): Versions {
  const byTemplate = new Map<string, string[]>()
  for (const path of packs) {
    const version = versionOfPath(path)
    const agentId = claimOf(path)?.agentId
    if (version === null || agentId === undefined) continue
    for (const id of [agentId, `${agentId}.few-shot`, `${agentId}.schema-hint`]) {
      const list = byTemplate.get(id)
      if (list === undefined) byTemplate.set(id, [version])
      else list.push(version)
    }
  }
  return byTemplate
}

function problemWith(ref: PromptRef, versions: Versions): Pick<FoundInFile, 'message' | 'suggestion'> | null {
  // The content of another library is not known here.
  if (ref.libraryId !== null) return null
  const existing = versions.get(ref.templateId)
  if (existing === undefined) {
    const meant = nearest(ref.templateId, versions.keys())
    return {
      message: `No pack of this workspace has the template ${ref.templateId}`,
      ...(meant === null ? {} : { suggestion: `did you mean prompt:${meant}?` }),
    }
  }
  if (ref.version === null || existing.includes(ref.version)) return null
  return {
    message: `No pack of this workspace has ${refText(ref)}`,
    suggestion: `there is ${[...existing].sort(semver.compare).slice(-5).join(', ')}`,
  }
}
