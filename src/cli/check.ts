// onbook check: lint packs and the files they need.
import { watch } from 'node:fs'
import { resolve } from 'node:path'
import { workerValidator } from '../adapters/worker-validator.ts'
import { byPlace, type Finding } from '../core/lint/lint.ts'
import { editScalars } from '../core/pack/edit.ts'
import { readYaml } from '../core/pack/yaml.ts'
import { checkPacks, summarize } from '../engine/check.ts'
import { workspaceFinding } from '../engine/workspace.ts'
import { Fault } from '../errors.ts'
import type { Validator } from '../ports.ts'
import type { Input } from './commands.ts'
import { locate, type Target } from './locate.ts'
import type { CheckReport } from './report/check-report.ts'
import { choiceOption, deliver, numberOption, useColor } from './terminal.ts'

const FORMATS = ['pretty', 'json', 'sarif', 'junit', 'github'] as const
type Format = (typeof FORMATS)[number]

export async function check(input: Input): Promise<number> {
  const format = input.json ? 'json' : choiceOption(input.format ?? 'pretty', '--format', FORMATS)
  const maxWarnings = numberOption(input.maxWarnings, '--max-warnings', Number.POSITIVE_INFINITY)
  const validator = workerValidator()
  try {
    const once = async () => {
      const { report, missing } = await checkPaths(input, validator)
      await deliver(await print(report, format, input), input.output)
      const { errors, warnings } = report.summary
      return missing ? 2 : errors > 0 || warnings > maxWarnings ? 1 : 0
    }
    return input.watch ? await watchAndRun(input, once) : await once()
  } finally {
    await validator.close()
  }
}

async function checkPaths(input: Input, validator: Validator): Promise<{ report: CheckReport; missing: boolean }> {
  const { targets, missing } = await locate(input.paths as string[])
  const findings: Finding[] = missing.map(path => workspaceFinding(path, 'The file cannot be read: it does not exist'))
  const sources = new Map<string, string>()
  let files = missing.length
  for (const target of targets) {
    if (input.fix) await fix(target, validator)
    files += target.packs.length
    findings.push(
      ...target.workspace.findings
        .filter(finding => target.whole || finding.severity === 'error')
        .map(finding => ({ ...finding, file: target.shown(finding.file) })),
    )
    for await (const checked of checkPacks(target.workspace, validator, target.packs)) {
      if (checked.findings.length === 0) continue
      const file = target.shown(checked.path)
      if (checked.text !== null) sources.set(file, checked.text)
      findings.push(...checked.findings.map(finding => ({ ...finding, file })))
    }
  }
  if (files === 0) throw new Fault('packs_missing', { where: (input.paths as string[]).join(', ') || 'this folder' })
  const shown = findings.filter(finding => !input.quiet || finding.severity !== 'info').sort(byPlace)
  return { report: { findings: shown, sources, summary: summarize(files, shown) }, missing: missing.length > 0 }
}

/** A repair can uncover the next one, but each of ours settles its own scalar: one pass is enough. */
async function fix({ workspace, packs }: Target, validator: Validator): Promise<void> {
  for await (const { path, text, findings } of checkPacks(workspace, validator, packs)) {
    const fixes = findings.flatMap(finding => finding.fix ?? [])
    if (text !== null && fixes.length > 0) await workspace.files.writeText(path, editScalars(readYaml(text), fixes))
  }
}

async function print(report: CheckReport, format: Format, input: Input): Promise<string> {
  switch (format) {
    case 'pretty':
      return (await import('./report/pretty-check.ts')).printCheck(report, {
        color: input.output === undefined && useColor(process.stdout),
      })
    case 'json':
      return (await import('./report/json-check.ts')).checkToJson(report)
    case 'sarif':
      return (await import('./report/sarif.ts')).checkToSarif(report, (await import('./main.ts')).packageVersion())
    case 'junit':
      return (await import('./report/junit.ts')).checkToJunit(report)
    case 'github':
      return (await import('./report/github.ts')).checkToGithub(report)
  }
}

/** Runs at once and after every change, until interrupted. */
async function watchAndRun(input: Input, once: () => Promise<number>): Promise<number> {
  const again = async () => {
    if (process.stdout.isTTY) process.stdout.write('\u001b[2J\u001b[H')
    await once().catch(error => process.stderr.write(`onbook: ${(error as Error).message}\n`))
    process.stderr.write(`Watching. Press Ctrl-C to stop.\n`)
  }
  const { targets } = await locate(input.paths as string[])
  await again()
  let due: NodeJS.Timeout | undefined
  const watchers = targets.map(({ root }) =>
    watch(root, { recursive: true }, (_, name) => {
      const ours = name !== null && /\.(?:ya?ml|json)$/.test(name) && !/(?:^|[/\\])(?:\.|node_modules)/.test(name)
      if (!ours || resolve(root, name) === resolve(String(input.output))) return
      clearTimeout(due)
      due = setTimeout(again, 100)
    }),
  )
  await new Promise<void>(stop => process.once('SIGINT', stop))
  for (const watcher of watchers) watcher.close()
  return 0
}
