// The home session of a node's agent knows which nodes work with what it has adopted; what it applies at a step boundary reaches them.
import type { RunState } from '../../core/run/state.ts'
import type { Store } from '../../ports.ts'
import type { SessionWork } from '../sessions/work.ts'
import { loadFrozen } from './frozen.ts'
import { loadRun } from './load.ts'
import { childSession, homeOf } from './start-node.ts'
import type { RunPlace } from './write-run.ts'

/** What waits for home's next run is adopted now: this is it. */
export async function attachNode(store: Store, sessions: SessionWork, { tenant, runId, actor }: RunPlace, nodeId: string): Promise<void> {
  const { state } = await loadRun(store, tenant, runId)
  const home = await homeOf(store, tenant, await loadFrozen(store, tenant, state.frozen!), nodeId)
  if (home === null || home.attached.some(one => one.runId === runId && one.nodeId === nodeId)) return
  const command = { type: 'attachRun', runId, nodeId, session: childSession(runId, nodeId) } as const
  await sessions.submit({ tenant, session: home.session, actor }, command)
}

export async function detachNodes(store: Store, sessions: SessionWork, tenant: string, { runId, frozen: digest }: RunState): Promise<void> {
  const frozen = await loadFrozen(store, tenant, digest!)
  for (const { id: nodeId } of frozen.workflow.nodes) {
    const home = await homeOf(store, tenant, frozen, nodeId)
    if (home?.attached.some(one => one.runId === runId && one.nodeId === nodeId) === true)
      await sessions.submit({ tenant, session: home.session, actor: 'onbook' }, { type: 'detachRun', runId, nodeId })
  }
}
