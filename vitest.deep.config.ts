import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const ALL = ['src/**/*.deep.test.ts', 'scripts/**/*.deep.test.ts']
/** They compare times, so they run alone, when all others are done. */
const TIMED = [
  'src/core/linear-time.deep.test.ts',
  'src/core/tools/read-tool-calls-growth.deep.test.ts',
  'src/engine/library/many-versions.deep.test.ts',
  'src/host/limits/fair-turns.deep.test.ts',
]
/** Properties that `npm test` tries less often: here all the way. */
const PROPERTIES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map(path => join('src', path))
  .filter(path => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("/testing/runs.ts'"))
/** They take minutes each, so they begin first: nothing else is left to do while the last of them ends. */
const LONG = /\/(?:kill|hostile-record|guides|every-run|fuzz|disk-full|crash|read-tool-calls|differential)\.deep\.test\.ts$/

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId)
    return (await super.sort(files)).toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))
  }
}

// The long runs: npm run test:deep. Many of them wait for processes, so there are more workers than cores.
export default defineConfig({
  ssr: { resolve: { conditions: ['source-node', 'node'] } },
  test: {
    testTimeout: 30 * 60_000,
    hookTimeout: 30 * 60_000,
    sequence: { sequencer: LongFirst },
    globalSetup: 'src/testing/temporary-root.ts',
    projects: [
      { extends: true, test: { name: 'deep', include: ALL, exclude: TIMED, sequence: { groupOrder: 0 }, maxWorkers: 3 } },
      {
        extends: true,
        test: {
          name: 'properties',
          include: PROPERTIES,
          env: { ONBOOK_PROPERTIES: 'all' },
          isolate: false,
          sequence: { groupOrder: 0 },
          maxWorkers: 3,
        },
      },
      { extends: true, test: { name: 'timed', include: TIMED, sequence: { groupOrder: 1 }, maxWorkers: 1 } },
    ],
  },
})
