import { type PromptRef, refText } from '../../../resolve/prompt-ref.ts'
import { readRefs, refsInAgent, refsInWorkflow } from '../../../workflow/written-refs.ts'
import { documentsOf } from '../../documents.ts'
import type { LayoutRule } from '../../rule.ts'

export const refUnpinned: LayoutRule = {
  name: 'ref-unpinned',
  summary: 'Every ref of an agent or a workflow names a version or a label.',
  // Following the active version is a choice that authors make on purpose.
  severity: 'info',

  *checkLayout(layout) {
    const { agents, workflows } = documentsOf(layout)
    const all = [
      ...agents.map(({ file, written }) => ({ file, refs: refsInAgent(written) })),
      ...workflows.map(({ file, written }) => ({ file, refs: refsInWorkflow(written) })),
    ]
    for (const { file, refs } of all)
      for (const { pointer, ref } of readRefs(refs).sound)
        if (isUnpinned(ref))
          yield {
            file,
            pointer,
            message: `${refText(ref)} names no version: a run uses the version that is active when it starts`,
            suggestion: `name a version to pin it (${refText(ref)}@1.0.0), or a label that you move (${refText(ref)}@production)`,
          }
  },
}

const isUnpinned = ({ version, label }: PromptRef): boolean => version === null && label === null
