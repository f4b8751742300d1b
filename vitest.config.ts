import { defineConfig } from 'vitest/config'

const ALL = ['src/**/*.test.ts', 'scripts/**/*.test.ts']
const DEEP = '**/*.deep.test.ts'
/** They touch nothing outside themselves, so their files share one set of loaded modules. */
const PURE = ['src/core/**/*.test.ts', 'src/wire/**/*.test.ts']
/** They compare times, so they run alone, when all others are done. */
const TIMED = ['src/cli/report/code-frame.test.ts', 'src/core/hostile.test.ts', 'src/core/template/parse.test.ts']

export default defineConfig({
  ssr: { resolve: { conditions: ['source-node', 'node'] } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: PURE, exclude: [DEEP, ...TIMED], isolate: false, sequence: { groupOrder: 0 }, maxWorkers: 2 },
      },
      {
        extends: true,
        test: { name: 'all', include: ALL, exclude: [DEEP, ...PURE, ...TIMED], sequence: { groupOrder: 0 }, maxWorkers: 2 },
      },
      { extends: true, test: { name: 'timed', include: TIMED, sequence: { groupOrder: 1 }, maxWorkers: 1 } },
    ],
  },
})
