// Questions about runs share one reader: no other file searches the events of a run for steps, calls or outcomes, or reads the sessions of its nodes.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDERS = ['src/engine/why', 'src/engine/blame', 'src/engine/prefix', 'src/engine/diff', 'src/cli', 'src/host']
/** Reads of a run's stream for something else. */
const OTHERS = [
  'src/cli/questions/diff.ts: the first event names the source of a fork',
  'src/cli/questions/imported-runs.ts: the status of a run is its folded state',
  'src/cli/runs/show.ts: the events of a run file go into the reader',
  'src/host/routes/runs/events.ts: the events themselves are the answer',
]

const read = /\.(?:read|pages)\([^)]*(?:runStream|sessionStream)\(/
const files = FOLDERS.flatMap(folder =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map(entry => `${entry.parentPath}/${entry.name}`),
)

it('no question walks a stream of a run by itself', () => {
  const walkers = files.filter(path => read.test(readFileSync(path, 'utf8')))
  expect(walkers.sort()).toEqual(OTHERS.map(line => line.split(':')[0]))
})
