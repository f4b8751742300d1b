// @ts-check
// npm run bench -- runs [prompt accepts completions concurrent sizes] [--full]: the effective prompt beside a bare render, accepting runs
// beside a bare node:http server, runs to their end beside bare SQLite, a thousand at once, and what a run leaves in the record.
import { parseArgs } from 'node:util'
import { benchAccepts } from './runs/accepts.mjs'
import { benchCompletions } from './runs/completions.mjs'
import { benchConcurrent } from './runs/concurrent.mjs'
import { benchRunsPrompt } from './runs/prompt.mjs'
import { benchRunSizes } from './runs/sizes.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { full: { type: 'boolean', default: false } } })

/** @type {Readonly<Record<string, () => unknown>>} */
const parts = {
  prompt: benchRunsPrompt,
  accepts: () => benchAccepts(values),
  completions: () => benchCompletions(values),
  concurrent: () => benchConcurrent(values),
  sizes: benchRunSizes,
}
for (const [name, bench] of Object.entries(parts)) if (positionals.length === 0 || positionals.includes(name)) await bench()
