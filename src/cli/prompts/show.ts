// onbook prompt show: one published version of a prompt: its text, its variables, the versions beside it and the labels.
import { labelsOf } from '../../engine/library/labels.ts'
import { findTemplate } from '../../engine/library/render-ref.ts'
import { versionsOf } from '../../engine/library/rows.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { visible, visibleLines } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { withLibrary } from './open-library.ts'

export const show = (input: Input): Promise<number> =>
  withLibrary(input, async (store, writer) => {
    const ref = String(input.prompt)
    const found = await findTemplate(store, writer.tenant, ref.startsWith('prompt:') ? ref : `prompt:${ref}`, { labels: true })
    const { template, row } = found
    const place = { ...writer, libraryId: row.libraryId, workspace: row.workspace }
    const labels = await labelsOf(store, place, row.templateId)
    const versions = (await versionsOf(store, writer.tenant, row.templateId))
      .filter(({ libraryId, removed }) => libraryId === row.libraryId && !removed)
      .map(({ version, retired }) => ({ version, retired: retired === true }))
    if (input.json) {
      printJson({ ...template, libraryId: row.libraryId, digest: row.digest, versions, labels })
      return 0
    }
    const named = labels.filter(({ version }) => version === row.version).map(({ label }) => label)
    const head = `${row.templateId}@${row.version}  ${row.kind}  ${row.libraryId}${named.length === 0 ? '' : `  [${named.join(', ')}]`}`
    const variables = (template.variables ?? []).map(({ name, type, required, source = 'input' }) => [
      name,
      type,
      required ? 'required' : 'optional',
      source,
    ])
    const parts = [
      `${visible(head)}\n${visible(row.digest)}\n`,
      columns([
        ['label', 'version', 'since', 'by', 'why'],
        ...labels.map(one => [one.label, one.version, one.at, one.actor, one.why ?? '']),
      ]),
      `versions: ${visible(versions.map(({ version, retired }) => `${version}${retired ? ' (retired)' : ''}`).join(', '))}\n`,
      ...(variables.length === 0 ? [] : [columns([['variable', 'type', 'needed', 'source'], ...variables])]),
      `${visibleLines(template.text).join('\n')}\n`,
    ]
    process.stdout.write(parts.filter(part => part !== '').join('\n'))
    return 0
  })
