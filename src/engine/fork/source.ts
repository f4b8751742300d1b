// What a fork is made from: every event of a run and of its sessions, under the names that the fork gives them. Reads, and writes nothing.
import type { Kept, Track } from '../../core/fork/align.ts'
import { type Renaming, renamed } from '../../core/fork/rewrite.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { fromRecorded, type SessionEvent, sessionStream } from '../../core/session/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { type Diverged, readChained } from '../replay/read-chained.ts'

/** By the fork's names. */
export interface Source {
  readonly names: Renaming
  /** Where its bytes are not those that the next event names. */
  readonly broken: readonly Divergence[]
  /** Where the run tells of a session first, by the stream that the session has there. */
  readonly begun: ReadonlyMap<string, number>
  readonly run: readonly Kept<RunEvent>[]
  readonly sessions: ReadonlyMap<string, readonly Kept<SessionEvent>[]>
}

/** What was found out when a run was made again says nothing of the run. */
const ASIDE: readonly string[] = ['replay.diverged', 'version.pinned']
/** What nobody can ask for again: it changed nothing, or hangs on a clock. */
const UNASKED: readonly string[] = ['session.refused', 'lease.issued', 'lease.renewed', 'lease.expired']

export const isAside = ({ type }: { readonly type: string }): boolean => ASIDE.includes(type)
export const isUnasked = ({ type }: { readonly type: string }): boolean => UNASKED.includes(type)

/** `run_missing`; `fork_refused` for one that cannot be made again. */
export async function readSource(store: Store, tenant: string, names: Renaming): Promise<Source> {
  const { runId } = names
  const broken: Divergence[] = []
  const diverged = (one: Divergence): void => void broken.push(one)
  const run: Kept<RunEvent>[] = []
  const sessions = new Map<string, readonly Kept<SessionEvent>[]>()
  const begun = new Map<string, number>()
  const next = readChained(store, tenant, runStream(runId), diverged, false)
  for (let stored = await next(); stored !== null; stored = await next()) {
    const { event } = stored
    if (isAside(event)) continue
    run.push(keptOf(event, runEvent, names))
    if (event.type !== 'node.started') continue
    const { session } = runEvent(event) as Extract<RunEvent, { readonly type: 'node.started' }>
    if (!session.startsWith(`${runId}.`))
      throw new Fault('fork_refused', {
        runId,
        problem: `it works in session ${session}, which outlasts it: what is said there is not its own`,
      })
    const known = (run.at(-1)!.event as typeof event & { readonly session: string }).session
    if (sessions.has(known)) continue
    begun.set(sessionStream(session), event.seq)
    sessions.set(known, await readSession(store, tenant, session, names, diverged))
  }
  if (run.length === 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return { names, broken, begun, run, sessions }
}

async function readSession(
  store: Store,
  tenant: string,
  session: string,
  names: Renaming,
  diverged: Diverged,
): Promise<readonly Kept<SessionEvent>[]> {
  const found: Kept<SessionEvent>[] = []
  const next = readChained(store, tenant, sessionStream(session), diverged, true)
  for (let stored = await next(); stored !== null; stored = await next())
    if (!isUnasked(stored.event)) found.push(keptOf(stored.event, fromRecorded, names))
  return found
}

const keptOf = <E>(recorded: RecordedEvent, read: (event: Pick<RecordedEvent, 'type' | 'payload'>) => E, names: Renaming): Kept<E> => {
  const { type, payload, seq, at, actor } = recorded
  return { sequence: seq, at, actor, event: read({ type, payload: renamed(payload, names) }) }
}

export const trackOf = <E>(kept: readonly Kept<E>[]): Track<E> => ({ kept, next: 0 })
