// onbook prompt show: prints one published version of a prompt: its text, its variables, the other versions and the labels.
import { labelsOf } from '../../engine/library/labels.ts'
import { listTemplates } from '../../engine/library/list.ts'
import { findTemplate } from '../../engine/library/render-ref.ts'
import { versionsOf } from '../../engine/library/rows.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { visible, visibleLines } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { withLibrary } from './open-library.ts'
import { withSuggestion } from './suggest.ts'

export const show = (input: Input): Promise<number> =>
  withLibrary(input, async (store, writer) => {
    const ref = String(input.prompt)
    const named = ref.replace(/^prompt:/, '')
    const found = await withSuggestion(
      named.split('@')[0]!,
      () => idsIn(store, writer.tenant),
      () => findTemplate(store, writer.tenant, `prompt:${named}`, { labels: true }),
    )
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
    const names = labels.filter(({ version }) => version === row.version).map(({ label }) => label)
    const head = `${row.templateId}@${row.version}  ${row.kind}  ${row.libraryId}${names.length === 0 ? '' : `  [${names.join(', ')}]`}`
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

async function* idsIn(store: Store, tenant: string): AsyncIterable<string> {
  for await (const { templateId } of listTemplates(store, tenant, {}, null)) yield templateId
}
