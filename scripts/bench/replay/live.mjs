// @ts-check
// The steps of a recorded run composed as they were when it ran: what the conductor does before it writes. Its state is folded beforehand.
import { draftRun } from '../../../dist/core/run/draft.js'
import { runEvent, runStream } from '../../../dist/core/run/events.js'
import { reduceRun } from '../../../dist/core/run/reduce.js'
import { NO_RUN } from '../../../dist/engine/runs/load.js'
import { worldOf } from '../../../dist/engine/runs/start/world.js'
import { loadSession } from '../../../dist/engine/sessions/load.js'
import { startStep } from '../../../dist/engine/turns/start-step.js'
import { TENANT } from '../sessions/story.mjs'

/** @typedef {import('onbook').Store} Store */

/**
 * Every step as it was about to be taken.
 * @param {Store} store
 */
export async function stepsOf(store) {
  /** @type {{ nodeId: string, step: number, run: import('../../../dist/engine/runs/load.js').LoadedRun }[]} */
  const steps = []
  let run = NO_RUN
  for await (const { event: recorded } of store.read(TENANT, runStream('r1'), -1)) {
    const event = runEvent(recorded)
    if (recorded.seq === 0) run = { ...run, createdAt: recorded.at, createdBy: recorded.actor }
    if (event.type === 'step.started') steps.push({ nodeId: event.nodeId, step: event.step, run })
    run = { ...run, state: reduceRun(run.state, event), seq: recorded.seq }
  }
  return steps
}

/** @param {Store} store @param {Awaited<ReturnType<typeof stepsOf>>} steps */
export async function composeLive(store, steps) {
  for (const { nodeId, step, run } of steps) {
    const frozen = await worldOf(store, TENANT, run.state)
    const desk = {
      store,
      tenant: TENANT,
      nodeId,
      run,
      frozen,
      hostCatalog: null,
      load: (/** @type {string} */ session) => loadSession(store, TENANT, session),
      resumes: () => false,
      calls: async () => /** @type {const} */ ('native'),
    }
    const { draft } = await startStep(desk, draftRun(run.state), step)
    if (!draft.events.some(event => event.type === 'step.started')) throw new Error(`step ${step} of ${nodeId} was not started`)
  }
}
