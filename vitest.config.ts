import { defineConfig } from 'vitest/config'

// The files that one worker runs share its loaded modules: a file leaves its globals, environment and signal handlers as it found them.
export default defineConfig({
  ssr: { resolve: { conditions: ['source-node', 'node'] } },
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/*.deep.test.ts'],
    globalSetup: 'src/testing/temporary-root.ts',
    isolate: false,
    unstubEnvs: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
