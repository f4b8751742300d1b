// What the bootstrap can run. Each job is loaded only when asked for.
// @ts-check

/** @typedef {{ root: string, args: readonly string[] }} Context */
/** @typedef {{ load: () => Promise<{ run: (context: Context) => Promise<number> }> }} Job */

/** @type {Readonly<Record<string, Job>>} */
export const JOBS = {
  start: { load: () => import('./jobs/start.mjs') },
  test: { load: () => import('./jobs/test.mjs') },
  'test:deep': { load: () => import('./jobs/test-deep.mjs') },
  bench: { load: () => import('./jobs/bench.mjs') },
  story: { load: () => import('./jobs/story.mjs') },
  docs: { load: () => import('./jobs/docs.mjs') },
  golden: { load: () => import('./jobs/golden.mjs') },
  // Set-up has built by then; there is nothing left to do.
  build: { load: async () => ({ run: async () => 0 }) },
}
