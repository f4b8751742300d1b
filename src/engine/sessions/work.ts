// Folder: Commands to sessions put on record, and syncs performed. It does not advance a run.
// Performs work on sessions: records commands, and runs requested syncs. The conductor handles runs in sessions.
import { knownTo } from '../../core/session/coming-snapshot.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { TurnParts } from '../turns/performing.ts'
import { keyedMutex } from '../work/mutex.ts'
import { retry } from '../work/retry.ts'
import { checkMessage } from './check-message.ts'
import { loadSession } from './load.ts'
import { syncingSessions } from './sessions.ts'
import { type SessionPlace, type Submission, type Submitted, submit } from './submit.ts'
import { syncFor } from './sync-for.ts'

export interface SessionWork {
  /** Resolves when the command is on record; a sync goes on by itself. */
  submit(place: SessionPlace, command: SessionCommand, submission?: Submission): Promise<Submitted>
  /** When no sync of the session is under way here. */
  quiet(tenant: string, session: string): Promise<void>
  /** Resumes syncs that a stopped host left. */
  resume(): Promise<void>
  /** Leaves syncs that are under way for the next host. */
  close(): Promise<void>
}

const ACTOR = 'onbook'

export function sessionWork(parts: TurnParts): SessionWork {
  const { store } = parts
  const turns = keyedMutex()
  const syncs = new Map<string, Set<Promise<void>>>()
  const stopping = new AbortController()

  /** Begins the newest requested sync: no client waits for an older one any more. */
  function begin(tenant: string, session: string, state: SessionState): void {
    const { syncing } = state.workspace
    if (syncing === null || stopping.signal.aborted) return
    const place = { tenant, session, actor: ACTOR }
    const work = async (): Promise<void> => {
      const result = await syncFor(parts, place, syncing.selection, knownTo(state, syncing.selection))
      if (!stopping.signal.aborted) await submit(store, place, { type: 'settleSync', sync: syncing.sync, result })
    }
    const key = JSON.stringify([tenant, session])
    const open = syncs.get(key) ?? new Set()
    syncs.set(key, open)
    const task = retry(parts, work, error => parts.failed(error, place), stopping.signal).finally(() => {
      open.delete(task)
      if (open.size === 0) syncs.delete(key)
    })
    open.add(task)
  }

  return {
    async submit(place, command, submission = {}) {
      if (command.type === 'leaveMessage') await checkMessage(store, place.tenant, command.message.message, submission.objects)
      // Without the mutex, one of several concurrent commands succeeds and the others must decide again.
      const done = await turns(JSON.stringify([place.tenant, place.session]), () => submit(store, place, command, submission))
      if (done.events.some(({ type }) => type === 'workspace.syncRequested')) begin(place.tenant, place.session, done.state)
      return done
    },
    async quiet(tenant, session) {
      await Promise.allSettled([...(syncs.get(JSON.stringify([tenant, session])) ?? [])])
    },
    async resume() {
      for (const tenant of await store.tenants())
        for (const session of await syncingSessions(store, tenant))
          begin(tenant, session, (await loadSession(store, tenant, session)).state)
    },
    async close() {
      stopping.abort()
      await Promise.allSettled([...syncs.values()].flatMap(open => [...open]))
    },
  }
}
