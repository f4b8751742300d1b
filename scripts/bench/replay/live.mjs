// @ts-check
// The steps of a recorded run composed as they were when it ran: what the conductor does before it writes. Its state is folded beforehand.
import { runEvent, runStream } from '../../../dist/core/run/events.js'
import { reduceRun } from '../../../dist/core/run/reduce.js'
import { fromRecorded, sessionStream } from '../../../dist/core/session/events.js'
import { reduce } from '../../../dist/core/session/reduce.js'
import { emptySession } from '../../../dist/core/session/state.js'
import { NO_RUN } from '../../../dist/engine/runs/load.js'
import { startStep } from '../../../dist/engine/runs/start-step.js'
import { worldOf } from '../../../dist/engine/runs/world.js'
import { TENANT } from '../sessions/story.mjs'

/** @typedef {import('onbook').Store} Store */

/**
 * Every step as it was about to be taken.
 * @param {Store} store
 */
export async function stepsOf(store) {
  /** @type {{ nodeId: string, session: string, step: number, run: import('../../../dist/engine/runs/load.js').LoadedRun }[]} */
  const steps = []
  let run = NO_RUN
  for await (const { event: recorded } of store.read(TENANT, runStream('r1'), -1)) {
    const event = runEvent(recorded)
    if (recorded.seq === 0) run = { ...run, createdAt: recorded.at, createdBy: recorded.actor }
    if (event.type === 'step.started') steps.push({ nodeId: event.nodeId, session: event.session, step: event.step, run })
    run = { ...run, state: reduceRun(run.state, event), seq: recorded.seq }
  }
  /** @type {Map<string, import('../../../dist/core/session/state.js').SessionState>} */
  const before = new Map()
  for (const session of new Set(steps.map(step => step.session))) {
    let state = emptySession
    for await (const { event: recorded } of store.read(TENANT, sessionStream(session), -1)) {
      const event = fromRecorded(recorded)
      if (event.type === 'step.started') before.set(`${session} ${event.step}`, state)
      state = reduce(state, event)
    }
  }
  return steps.map(one => ({ ...one, before: before.get(`${one.session} ${one.step}`) ?? emptySession }))
}

/** @param {Store} store @param {Awaited<ReturnType<typeof stepsOf>>} steps */
export async function composeLive(store, steps) {
  for (const { nodeId, session, run, before } of steps) {
    const frozen = await worldOf(store, TENANT, run.state)
    const desk = {
      store,
      tenant: TENANT,
      nodeId,
      session,
      run,
      frozen,
      resumes: () => false,
      calls: async () => /** @type {const} */ ('native'),
    }
    const of = { run: before.run?.run ?? 0, step: (before.run?.steps ?? 0) + 1 }
    const { decided } = await startStep(desk, { state: run.state, events: [], objects: [] }, before, /** @type {never} */ (of), null)
    if (decided?.events.some(event => event.type === 'step.started') !== true)
      throw new Error(`step ${of.step} of ${nodeId} was not started`)
  }
}
