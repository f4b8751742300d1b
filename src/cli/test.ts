// onbook test: runs examples of packs against a model and compares. A signal ends the run, but the report is still printed.
import { constants } from 'node:os'
import { workerValidator } from '../adapters/validator/worker-validator.ts'
import { type Models, modelsFor } from '../book/pack-models.ts'
import type { CaseResult } from '../engine/packs/run-example.ts'
import { summarizeCases, type TestOptions, testPacks } from '../engine/packs/test-packs.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { locate, type Target } from './locate.ts'
import { progressOn } from './progress.ts'
import type { TestReport } from './report/test-report.ts'
import { choiceOption, deliver, numberOption, useColor } from './terminal.ts'

const FORMATS = ['pretty', 'json', 'junit'] as const
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
type Signal = (typeof SIGNALS)[number]

export async function test(input: Input): Promise<number> {
  const format = input.json ? 'json' : choiceOption(input.format ?? 'pretty', '--format', FORMATS)
  const paths = [...(input.paths as string[]), ...(input.prompt === undefined ? [] : [String(input.prompt)])]
  const { targets, missing } = await locate(paths)
  if (missing[0] !== undefined) throw new Fault('path_missing', { path: missing[0] })
  if (targets.every(target => target.packs.length === 0)) throw new Fault('packs_missing', { where: paths.join(', ') || 'this folder' })

  const stop = new AbortController()
  let signalled: Signal | null = null
  const interrupt = (signal: Signal) => {
    signalled ??= signal
    stop.abort()
  }
  // Once each: a second signal ends the process.
  for (const signal of SIGNALS) process.once(signal, interrupt)
  const progress = progressOn()
  const started = performance.now()
  try {
    const cases: CaseResult[] = []
    for (const target of targets) cases.push(...(await testTarget(target, input, stop.signal, progress.tick)))
    progress.clear()
    const report: TestReport = { cases, summary: summarizeCases(cases) }
    await deliver(await print(report, format, input, performance.now() - started), input.output)
    return signalled === null ? exitCode(report, input.allowEmpty === true) : 128 + constants.signals[signalled as Signal]
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, interrupt)
  }
}

async function testTarget(
  { workspace, packs, shown }: Target,
  input: Input,
  signal: AbortSignal,
  tick: (done: number, total: number, failed: number) => void,
): Promise<readonly CaseResult[]> {
  const models = modelsFor(workspace.files, input.model as string | undefined, input.record === true)
  await models.check()
  const validator = workerValidator()
  let done = 0
  let failed = 0
  try {
    const results = await testPacks(workspace, validator, packs, {
      ...testOptions(input, models, signal),
      onCase: ({ status }, total) => {
        if (status === 'fail' || status === 'error') failed++
        tick(++done, total, failed)
      },
    })
    for (const path of await models.save()) process.stderr.write(`Recorded ${shown(path)}\n`)
    return results.map(result => ({ ...result, pack: shown(result.pack) }))
  } finally {
    await validator.close()
  }
}

export const testOptions = (input: Input, { modelFor }: Models, signal: AbortSignal): TestOptions => ({
  modelFor,
  concurrency: numberOption(input.concurrency, '--concurrency', 8, { least: 1, most: 1000 }),
  timeoutMs: numberOption(input.timeout, '--timeout', 60, { least: 0.001, most: 86_400 }) * 1000,
  fences: input.fences === true,
  signal,
})

function exitCode({ cases, summary }: TestReport, allowEmpty: boolean): number {
  const untested = cases.some(({ status, example }) => status === 'skip' && example === null)
  return summary.fail > 0 || summary.error > 0 || (untested && !allowEmpty) ? 1 : 0
}

async function print(report: TestReport, format: (typeof FORMATS)[number], input: Input, ms: number): Promise<string> {
  switch (format) {
    case 'pretty':
      return (await import('./report/pretty-test.ts')).printTest(report, {
        color: input.output === undefined && useColor(process.stdout),
        ms,
      })
    case 'json':
      return (await import('./report/json-test.ts')).testToJson(report)
    case 'junit':
      return (await import('./report/junit.ts')).testToJunit(report)
  }
}
