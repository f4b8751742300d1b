// The home session of a node's agent knows which nodes work with what it has adopted; what it applies at a step boundary reaches them.
import { isEnded, type RunState } from '../../core/run/state.ts'
import { attachmentRows } from '../../core/session/projections.ts'
import type { Store } from '../../ports.ts'
import type { SessionParts } from '../sessions/performing.ts'
import type { SessionWork } from '../sessions/work.ts'
import { loadFrozen } from './frozen.ts'
import { keptRun } from './load.ts'
import { childSession, homeOf } from './start-node.ts'
import { worldOf } from './world.ts'
import type { RunPlace } from './write-run.ts'

const ACTOR = 'onbook'

/** What waits for home's next run is adopted now: this is it. */
export async function attachNode(store: Store, sessions: SessionWork, { tenant, runId, actor }: RunPlace, nodeId: string): Promise<void> {
  const { state } = await keptRun(store, tenant, runId)
  const home = await homeOf(store, tenant, await worldOf(store, tenant, state), nodeId)
  if (home === null || home.attached.some(one => one.runId === runId && one.nodeId === nodeId)) return
  const command = { type: 'attachRun', runId, nodeId, session: childSession(runId, nodeId) } as const
  await sessions.submit({ tenant, session: home.session, actor }, command)
}

export async function detachNodes(store: Store, sessions: SessionWork, tenant: string, { runId, frozen: digest }: RunState): Promise<void> {
  const frozen = await loadFrozen(store, tenant, digest!)
  for (const { id: nodeId } of frozen.workflow.nodes) {
    const home = await homeOf(store, tenant, frozen, nodeId)
    if (home?.attached.some(one => one.runId === runId && one.nodeId === nodeId) === true)
      await sessions.submit({ tenant, session: home.session, actor: ACTOR }, { type: 'detachRun', runId, nodeId })
  }
}

/** Of runs that were over when their host was gone, before it had let their nodes go. */
export async function detachEnded({ store, failed }: Pick<SessionParts, 'store' | 'failed'>, sessions: SessionWork): Promise<void> {
  for (const tenant of await store.tenants()) {
    const attached = new Set<string>()
    for await (const { cells } of store.rows(attachmentRows.table, tenant)) attached.add(String(cells.runId))
    for (const runId of attached) {
      const { state } = await keptRun(store, tenant, runId)
      if (isEnded(state))
        await detachNodes(store, sessions, tenant, state).catch(error => failed(error as Error, { tenant, session: runId, actor: ACTOR }))
    }
  }
}
