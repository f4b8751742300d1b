// onbook label: which version a name such as production stands for, and what it stood for before.

import { isLabel } from '../../core/resolve/prompt-ref.ts'
import { labelHistory, labelsOf, moveLabel, previousVersion, protectLabel } from '../../engine/library/labels.ts'
import { versionsOf, type Writer } from '../../engine/library/rows.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { withLibrary } from '../prompts/open-library.ts'
import { columns } from '../report/columns.ts'
import { newestRows } from '../report/page.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'

export const label = (input: Input): Promise<number> =>
  withLibrary(input, async (store, writer) => {
    await change(store, writer, input)
    await (input.history ? showHistory : showLabels)(store, writer, input)
    return 0
  })

/** Whoever can write to the folder may move protected labels too: protection is for those who come through the host. */
async function change(store: Store, writer: Writer, input: Input): Promise<void> {
  const { label: name, version, remove, protect, unprotect, back } = input
  if (name === undefined && (remove || protect || unprotect || back))
    throw new Fault('usage_invalid', { problem: 'name the label that is meant' })
  if (name === undefined) return
  if (!isLabel(name))
    throw new Fault('usage_invalid', { problem: `"${String(name)}" is not a label: lower-case letters, digits and dashes` })
  if (protect || unprotect) await protectLabel(store, writer, name, protect === true)
  if (version === undefined && !remove && !back) return
  if ([version !== undefined, remove === true, back === true].filter(Boolean).length > 1)
    throw new Fault('usage_invalid', { problem: 'Name a version, or --back, or --remove: only one of them' })
  const to = remove ? null : back ? await versionBefore(store, writer, String(input.template), name) : String(version)
  const why = typeof input.why === 'string' ? input.why : null
  await moveLabel(store, writer, { templateId: String(input.template), label: name, to, why, mayMoveProtected: true })
}

async function versionBefore(store: Store, writer: Writer, templateId: string, name: string): Promise<string> {
  const previous = await previousVersion(store, writer, templateId, name)
  if (previous === null)
    throw new Fault('registry_refused', {
      reason: `The label ${name} of ${templateId} has no earlier version to go back to`,
      code: 'history_empty',
    })
  return previous
}

async function showLabels(store: Store, writer: Writer, input: Input): Promise<void> {
  const { template, label: name } = input
  const labels = (await labelsOf(store, writer, String(template))).filter(one => name === undefined || one.label === name)
  if (labels.length === 0 && (await versionsOf(store, writer.tenant, String(template))).every(({ removed }) => removed))
    throw new Fault('prompt_template_not_found', { problem: `there is no template ${String(template)}` })
  if (input.json) printJson({ templateId: template, labels })
  else if (labels.length === 0)
    process.stdout.write(`${visible(`${String(template)} has no ${name === undefined ? 'labels' : `label ${String(name)}`}.`)}\n`)
  else
    process.stdout.write(
      columns([
        ['label', 'version', 'since', 'by', 'why'],
        ...labels.map(one => [one.label, one.version, one.at, one.actor, one.why ?? '']),
      ]),
    )
}

async function showHistory(store: Store, writer: Writer, input: Input): Promise<void> {
  const moves = await labelHistory(store, writer, String(input.template), input.label as string | undefined)
  const history = newestRows(moves, input)
  if (input.json) printJson({ templateId: input.template, history })
  else
    process.stdout.write(
      columns([
        ['when', 'label', 'from', 'to', 'by', 'why'],
        ...history.map(one => [one.at, one.label, one.from ?? '–', one.to ?? '–', one.actor, one.why ?? '']),
      ]),
    )
}
