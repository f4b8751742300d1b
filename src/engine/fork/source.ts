// Reads the source of a fork: every event of a run, under the names that the fork gives them. Read only.
import type { Kept, Track } from '../../core/fork/align.ts'
import { type Renaming, renamed } from '../../core/fork/rewrite.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { readChained } from '../replay/read-chained.ts'

/** By the fork's names. */
export interface Source {
  readonly names: Renaming
  /** Events whose bytes differ from the hash in the next event. */
  readonly broken: readonly Divergence[]
  readonly run: readonly Kept<RunEvent>[]
}

/** Findings of an earlier replay say nothing about the run. */
const ASIDE: readonly string[] = ['replay.diverged', 'version.pinned']

export const isAside = ({ type }: { readonly type: string }): boolean => ASIDE.includes(type)

/** Throws `run_missing`. */
export async function readSource(store: Store, tenant: string, names: Renaming): Promise<Source> {
  const { runId } = names
  const broken: Divergence[] = []
  const run: Kept<RunEvent>[] = []
  const next = readChained(store, tenant, runStream(runId), one => void broken.push(one), false)
  for (let stored = await next(); stored !== null; stored = await next()) if (!isAside(stored.event)) run.push(keptOf(stored.event, names))
  if (run.length === 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return { names, broken, run }
}

function keptOf({ type, payload, seq, at, actor }: RecordedEvent, names: Renaming): Kept<RunEvent> {
  const event = runEvent({ type, payload: renamed(payload, names) })
  // A fork does not work in a lasting session, because messages there have real effects. The earlier messages are on record in the event.
  return { sequence: seq, at, actor, event: event.type === 'node.started' ? { ...event, session: null } : event }
}

export const trackOf = <E>(kept: readonly Kept<E>[]): Track<E> => ({ kept, next: 0 })
