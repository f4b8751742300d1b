// onbook check: lints packs, the files they need, and the files beside them.
import { watch } from 'node:fs'
import { resolve } from 'node:path'
import { workerValidator } from '../adapters/validator/worker-validator.ts'
import { packageVersion } from '../book/package-version.ts'
import type { Input } from './commands.ts'
import type { CheckReport } from './report/check-report.ts'
import { faultText } from './report/visible.ts'
import { choiceOption, deliver, numberOption, useColor } from './terminal.ts'

const FORMATS = ['pretty', 'json', 'sarif', 'junit', 'github'] as const
type Format = (typeof FORMATS)[number]

export async function check(input: Input): Promise<number> {
  const format = input.json ? 'json' : choiceOption(input.format ?? 'pretty', '--format', FORMATS)
  const maxWarnings = numberOption(input.maxWarnings, '--max-warnings', Number.POSITIVE_INFINITY)
  // The validator starts in its own thread while the other modules load.
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
      return (await import('./report/sarif.ts')).checkToSarif(report, packageVersion())
    case 'junit':
      return (await import('./report/junit.ts')).checkToJunit(report)
    case 'github':
      return (await import('./report/github.ts')).checkToGithub(report)
  }
}

/** Runs at once and after every change, until interrupted. */
async function watchAndRun(input: Input, once: () => Promise<number>): Promise<number> {
  const { locate } = await import('./locate.ts')
  const roots = (await locate(input.paths as string[])).targets.map(({ root }) => root)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  while (!stop.signal.aborted) {
    // Watching starts before the check, so that no change is missed. It starts anew each time: an editor that replaces a file when it saves
    // leaves a watcher attached to the old file.
    const changed = nextChange(roots, typeof input.output === 'string' ? resolve(input.output) : null, stop.signal)
    if (process.stdout.isTTY) process.stdout.write('\u001b[2J\u001b[H')
    await once().catch(error => process.stderr.write(faultText(error as Error)))
    process.stderr.write('Watching. Press Ctrl-C to stop.\n')
    await changed
    await new Promise(resume => setTimeout(resume, 100)) // several files may be saved together
  }
  return 0
}

/** Resolves when one of our files changes, or the signal aborts. */
function nextChange(roots: readonly string[], output: string | null, signal: AbortSignal): Promise<void> {
  return new Promise(resume => {
    const done = () => {
      for (const watcher of watchers) watcher.close()
      signal.removeEventListener('abort', done)
      resume()
    }
    const isOurs = (root: string, name: string | null) =>
      name !== null && /\.(?:ya?ml|json|md)$/.test(name) && !/(?:^|[/\\])(?:\.|node_modules)/.test(name) && resolve(root, name) !== output
    const watchers = roots.map(root => watch(root, { recursive: true }, (_, name) => isOurs(root, name) && done()).on('error', done))
    signal.addEventListener('abort', done)
  })
}
