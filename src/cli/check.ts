// onbook check: lint packs and the files they need.
import { watch } from 'node:fs'
import { resolve } from 'node:path'
import { workerValidator } from '../adapters/worker-validator.ts'
import type { Input } from './commands.ts'
import type { CheckReport } from './report/check-report.ts'
import { choiceOption, deliver, numberOption, useColor } from './terminal.ts'

const FORMATS = ['pretty', 'json', 'sarif', 'junit', 'github'] as const
type Format = (typeof FORMATS)[number]

export async function check(input: Input): Promise<number> {
  const format = input.json ? 'json' : choiceOption(input.format ?? 'pretty', '--format', FORMATS)
  const maxWarnings = numberOption(input.maxWarnings, '--max-warnings', Number.POSITIVE_INFINITY)
  // The validator starts in its own thread while the rest is still being loaded.
  const validator = workerValidator()
  const { checkPaths } = await import('./check-paths.ts')
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
  const { locate } = await import('./locate.ts')
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
