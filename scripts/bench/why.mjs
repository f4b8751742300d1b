// @ts-check
// npm run bench -- why: one question to a run of 10,000 events, as a person asks it: a process of its own, beside one that does nothing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { interleave, number, table, timeProcess } from './measuring/measure.mjs'

const CLI = resolve('bin', 'onbook.mjs')
const STEPS = 2_500

/** Every step asks for a tool that it is refused: four events. */
const FILES = {
  'long.yaml': `id: long\nobjective: Go on.\nstallAfter: 1000\nnodes: [{ id: writer }, { id: critic }, { id: editor }]\n`,
  'script.yaml': 'replies:\n  - match: {}\n    toolCalls: [{ toolName: nothing, arguments: {} }]\n',
}

const folder = mkdtempSync(join(tmpdir(), 'onbook-bench-why-'))
try {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
  const run = ['run', 'long.yaml', '--script', 'script.yaml', '--budget-steps', String(STEPS), '--json']
  const { runId } = JSON.parse(typed(run))
  const events = typed(['events', `run/${runId}`, '--json'])
    .trim()
    .split('\n').length
  const why = [CLI, 'why', runId, '--json']
  const { bare = 0, asked = 0 } = await interleave(
    {
      bare: () => timeProcess(process.execPath, [CLI, '--version'], { cwd: folder }),
      asked: () => timeProcess(process.execPath, why, { cwd: folder }),
    },
    7,
  )
  table('Why, of a long run', [
    ['', 'events', 'onbook --version, ms', 'onbook why, ms', 'events/ms over it'],
    ['three nodes', number(events, 0), number(bare, 0), number(asked, 0), number(events / (asked - bare))],
  ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {readonly string[]} args */
function typed(args) {
  const { stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (stdout === '') throw new Error(stderr)
  return stdout
}
