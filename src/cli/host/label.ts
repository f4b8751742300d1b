// onbook prompt label: shows and moves the labels of a template, and prints their history.
import type { Book } from '../../book.ts'
import { previousOf } from '../../core/pack/registry.ts'
import { isLabel } from '../../core/resolve/prompt-ref.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { checkLabelKnown, promptIds, withSuggestion } from '../prompts/suggest.ts'
import { columns } from '../report/columns.ts'
import { newestRows } from '../report/page.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { withRecordBook } from './record-book.ts'

export const label = (input: Input): Promise<number> =>
  withRecordBook(input, async book => {
    await withSuggestion(
      String(input.template),
      () => promptIds(book),
      async () => {
        await change(book, input)
        await (input.history ? showHistory : showLabels)(book, input)
      },
    )
    return 0
  })

/** A user who can write to the folder may move protected labels too: protection is for callers of the host. */
async function change(book: Book, input: Input): Promise<void> {
  const { label: name, version, remove, protect, unprotect, back } = input
  if (name === undefined && (remove || protect || unprotect || back))
    throw new Fault('usage_invalid', { problem: 'name the label that is meant' })
  if (name === undefined) return
  if (!isLabel(name))
    throw new Fault('usage_invalid', { problem: `"${String(name)}" is not a label: lower-case letters, digits and dashes` })
  if (protect) await book.labels.protect(name)
  else if (unprotect) await book.labels.unprotect(name)
  if (version === undefined && !remove && !back) return
  if ([version !== undefined, remove === true, back === true].filter(Boolean).length > 1)
    throw new Fault('usage_invalid', { problem: 'Name a version, or --back, or --remove: only one of them' })
  const template = String(input.template)
  if (version !== undefined && !input.new) await checkLabelKnown(book, template, name)
  const why = typeof input.message === 'string' ? { why: input.message } : {}
  if (remove) await book.labels.remove(template, name, why)
  else await book.labels.move(template, name, back ? await versionBefore(book, template, name) : String(version), why)
}

async function versionBefore(book: Book, templateId: string, name: string): Promise<string> {
  const moves = await book.labels.history(templateId)
  const previous = previousOf(moves.flatMap(({ label, to }) => (label === name && to !== null ? [to] : [])))
  if (previous === null)
    throw new Fault('registry_refused', {
      reason: `The label ${name} of ${templateId} has no earlier version to go back to`,
      code: 'history_empty',
    })
  return previous
}

async function showLabels(book: Book, input: Input): Promise<void> {
  const { template, label: name } = input
  const { value } = await book.labels.list(String(template))
  const labels = value.filter(one => name === undefined || one.label === name)
  // Fails for a template that does not exist.
  if (labels.length === 0) await book.prompts.versions(String(template))
  if (input.json) printJson({ templateId: template, labels })
  else if (labels.length === 0)
    process.stdout.write(`${visible(`${String(template)} has no ${name === undefined ? 'labels' : `label ${String(name)}`}.`)}\n`)
  else
    process.stdout.write(
      columns([
        ['label', 'version', 'since', 'by', 'why'],
        ...labels.map(one => [one.label, one.version, one.at ?? '', one.actor ?? '', one.why ?? '']),
      ]),
    )
}

async function showHistory(book: Book, input: Input): Promise<void> {
  const moves = await book.labels.history(String(input.template))
  const history = newestRows(
    moves.filter(one => input.label === undefined || one.label === input.label),
    input,
  )
  if (input.json) printJson({ templateId: input.template, history })
  else
    process.stdout.write(
      columns([
        ['when', 'label', 'from', 'to', 'by', 'why'],
        ...history.map(one => [one.at, one.label, one.from ?? '–', one.to ?? '–', one.actor, one.why ?? '']),
      ]),
    )
}
