import { defineConfig } from 'vitest/config'

// The long runs: npm run test:deep.
export default defineConfig({
  ssr: { resolve: { conditions: ['source-node', 'node'] } },
  test: {
    include: ['src/**/*.deep.test.ts', 'scripts/**/*.deep.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 30 * 60_000,
  },
})
