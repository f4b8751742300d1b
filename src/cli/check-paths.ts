// Runs the checks of onbook check: from paths to a report.
import { documentKind } from '../core/lint/document-kind.ts'
import { isInLayout } from '../core/lint/layout.ts'
import { byPlace, type Finding } from '../core/lint/lint.ts'
import type { WorkflowShare } from '../core/lint/workflow-share.ts'
import { editScalars } from '../core/pack/edit.ts'
import { readYaml } from '../core/pack/yaml.ts'
import { isWithin } from '../core/workspace/path.ts'
import { checkPacks, summarize } from '../engine/packs/check.ts'
import { type CheckedLayout, checkLayout } from '../engine/packs/check-layout.ts'
import { checkMisplaced, takenFor } from '../engine/packs/check-misplaced.ts'
import { unreadable } from '../engine/packs/pack-folder.ts'
import { Fault } from '../errors.ts'
import type { Validator } from '../ports.ts'
import type { Input } from './commands.ts'
import { locate, type Target } from './locate.ts'
import type { CheckReport } from './report/check-report.ts'

const MOST_BYTES = 8 * 1024 * 1024

export async function checkPaths(input: Input, validator: Validator): Promise<{ report: CheckReport; missing: boolean }> {
  const { targets, missing } = await locate(input.paths as string[])
  const findings: Finding[] = missing.map(path => unreadable(path, 'it does not exist'))
  const sources = new Map<string, string>()
  const shares: WorkflowShare[] = []
  let files = missing.length
  /** False when the text is not a workflow or an agent. */
  const addDocument = async ({ workspace, shown }: Target, path: string, text: string): Promise<boolean> => {
    const document = await checkMisplaced(workspace, path, text)
    if (document === null) return false
    const file = shown(path)
    if (!input.quiet) process.stderr.write(`${takenFor(file, document.kind)}\n`)
    findings.push(...document.findings.map(finding => ({ ...finding, file })))
    shares.push(...document.shares.map(share => ({ ...share, file })))
    return true
  }
  for (const target of targets) {
    if (input.fix) await fix(target, validator)
    files += target.packs.length
    findings.push(
      ...target.workspace.findings
        .filter(finding => target.whole || finding.severity === 'error')
        .map(finding => ({ ...finding, file: target.shown(finding.file) })),
    )
    for await (const checked of checkPacks(target.workspace, validator, target.packs)) {
      const file = target.shown(checked.path)
      if (checked.text !== null) sources.set(file, checked.text)
      const isBroken = checked.findings.some(({ severity }) => severity === 'error')
      const isDocument = isBroken && checked.text !== null && (await addDocument(target, checked.path, checked.text))
      if (!isDocument) findings.push(...checked.findings.map(finding => ({ ...finding, file })))
    }
    // A pack is never JSON, so a named JSON file outside the layout can only be a workflow or an agent.
    for (const path of target.within.filter(one => one.endsWith('.json') && !isInLayout(one))) {
      const read = await target.workspace.files.readText(path, MOST_BYTES)
      if (!read.ok || !(await addDocument(target, path, read.text))) continue
      files += 1
      sources.set(target.shown(path), read.text)
    }
    const layout = await checkMeant(target)
    files += layout.files.length
    findings.push(...layout.findings.map(finding => ({ ...finding, file: target.shown(finding.file) })))
    shares.push(...layout.shares.map(share => ({ ...share, file: target.shown(share.file) })))
    for (const [path, text] of layout.texts) sources.set(target.shown(path), text)
  }
  if (files === 0 && !targets.some(({ named }) => named))
    throw new Fault('packs_missing', { where: (input.paths as string[]).join(', ') || 'this folder' })
  const shown = findings.filter(finding => !input.quiet || finding.severity !== 'info').sort(byPlace)
  return { report: { findings: shown, sources, shares, summary: summarize(files, shown) }, missing: missing.length > 0 }
}

/**
 * Checks the selected files beside the packs. It reads the whole layout, because its files refer to one another, and reports only the selected ones.
 */
async function checkMeant({ workspace, whole, within }: Target): Promise<CheckedLayout> {
  const isMeant = (path: string) => whole || within.some(one => isWithin(path, one))
  if (!whole && !within.some(isInLayout)) return { files: [], findings: [], texts: new Map(), shares: [] }
  const { files, findings, texts, shares } = await checkLayout(workspace, true)
  const ofMeant = <T extends { readonly file: string }>(all: readonly T[]) => all.filter(({ file }) => isMeant(file))
  return { files: files.filter(isMeant), findings: ofMeant(findings), texts, shares: ofMeant(shares) }
}

/** A fix can uncover another finding, but each fix settles its own scalar: one pass is enough. */
async function fix({ workspace, packs, shown }: Target, validator: Validator): Promise<void> {
  for await (const { path, text, fixes: findFixes, registered } of checkPacks(workspace, validator, packs)) {
    const fixes = findFixes()
    if (text === null || fixes.length === 0 || documentKind(path, text) !== null) continue
    if (registered) process.stderr.write(`${shown(path)} is registered and must not change: not repaired.\n`)
    else {
      const read = await workspace.files.readText(path, Number.MAX_SAFE_INTEGER)
      const mark = read.ok && read.mark === true ? '\uFEFF' : ''
      await workspace.files.writeText(path, mark + editScalars(readYaml(text), fixes))
      process.stderr.write(`${shown(path)}: repaired ${fixes.length} ${fixes.length === 1 ? 'place' : 'places'}.\n`)
    }
  }
}
