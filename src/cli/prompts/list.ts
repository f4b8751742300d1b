// Folder: Commands about prompts: list, show, roll back.
// onbook prompt list: lists every published prompt with its newest version and its labels.
import { labelsOf } from '../../engine/library/labels.ts'
import { listTemplates } from '../../engine/library/list.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { printJson } from '../terminal.ts'
import { withLibrary } from './open-library.ts'

export const list = (input: Input): Promise<number> =>
  withLibrary(input, async (store, writer) => {
    const found = []
    for await (const row of listTemplates(store, writer.tenant, {}, null)) found.push(row)
    const prompts = await Promise.all(
      firstRows(found, input).map(async ({ templateId, version, kind, libraryId, tags }) => {
        const labels = await labelsOf(store, { ...writer, libraryId }, templateId)
        return { templateId, version, kind, libraryId, tags, labels: labels.map(one => ({ label: one.label, version: one.version })) }
      }),
    )
    if (input.json) printJson({ prompts })
    else if (prompts.length === 0) process.stdout.write('No prompts yet. Publish the packs of this folder: onbook publish\n')
    else process.stdout.write(columns([['prompt', 'newest', 'kind', 'labels', 'library'], ...prompts.map(rowOf)]))
    return 0
  })

interface Listed {
  readonly templateId: string
  readonly version: string
  readonly kind: string
  readonly libraryId: string
  readonly labels: readonly { readonly label: string; readonly version: string }[]
}

const rowOf = ({ templateId, version, kind, labels, libraryId }: Listed): readonly string[] => [
  templateId,
  version,
  kind,
  labels.map(one => `${one.label} ${one.version}`).join(', '),
  libraryId,
]
