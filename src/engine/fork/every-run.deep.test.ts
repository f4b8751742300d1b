// The suites about runs make runs of every kind: loops, parallel nodes, spawned ones, handoffs, approvals, retries, crashes, homes that apply. Each of
// those runs is made again here from its record, from its beginning and from a place that chance names, without a divergence.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = 'src/engine/runs'
const suites = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
  name => name.endsWith('.test.ts') && !name.endsWith('.deep.test.ts'),
)
const paths = suites.map(name => `${FOLDER}/${name}`)

const run = async (paths: readonly string[], env: Readonly<Record<string, string>>): Promise<void> => {
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--isolate=false', '--maxWorkers=1', ...paths], {
    env: { ...process.env, ...env },
  })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', text => (said += text))
  const code = await new Promise(resolve => child.on('close', resolve))
  expect([code, code === 0 ? '' : said]).toEqual([0, ''])
}

it(`all runs of the suites about runs: ${suites.join(', ')}`, () => run(paths, { ONBOOK_REPLAY_EVERY: '1' }))

it('a run from every single one of its events', () => run(['src/engine/fork/play.test.ts'], { ONBOOK_EVERY_EVENT: '1' }))
