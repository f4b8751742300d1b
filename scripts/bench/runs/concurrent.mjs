// @ts-check
// A thousand runs that all wait for their models: what each more of them takes.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { number, table } from '../measuring/measure.mjs'

/** @param {{ full: boolean }} options */
export function benchConcurrent({ full }) {
  const total = full ? 4_000 : 1_000
  const program = join('scripts', 'bench', 'runs', 'open-runs.mjs')
  const { stdout, status, stderr } = spawnSync(process.execPath, ['--expose-gc', program, String(total)], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  /** @type {{ heaps: number[], after: number, openMs: number, endMs: number, rssMb: number }} */
  const { heaps, after, openMs, endMs, rssMb } = JSON.parse(stdout)
  const step = total / (heaps.length - 1)
  table(`${number(total, 0)} runs at once`, [
    ['', 'heap, MB', 'kB for each that was added'],
    ...heaps.map((bytes, index) => [
      `${number(index * step, 0)} open`,
      number(bytes / 1024 ** 2, 1),
      index === 0 ? '' : number((bytes - (heaps[index - 1] ?? 0)) / 1024 / step, 1),
    ]),
    ['all ended', number(after / 1024 ** 2, 1), ''],
  ])
  console.log(`  opened at ${number((total * 1_000) / openMs, 0)} runs/s, ended at ${number((total * 1_000) / endMs, 0)} runs/s`)
  console.log(`  resident memory at most: ${number(rssMb, 0)} MB`)
}
