// Where a fork begins: how much of a run, and of each of its sessions, had happened by then. What was written at one moment stays together.
import type { RunEvent } from '../run/events.ts'
import type { SessionEvent } from '../session/events.ts'
import type { Kept } from './align.ts'

export interface Cut {
  readonly run: number
  readonly sessions: ReadonlyMap<string, number>
}

/** Null where the sessions do not fit the run: their clock has gone back. */
export function cutAt(
  run: readonly Kept<RunEvent>[],
  sessions: ReadonlyMap<string, readonly Kept<SessionEvent>[]>,
  fromSeq: number,
): Cut | null {
  const asked = run.findIndex(({ sequence }) => sequence >= fromSeq)
  let at = asked < 0 ? run.length : asked
  while (at > 0 && run[at - 1]!.at === run[at]?.at) at -= 1
  const moment = run[at]?.at ?? null
  const cut = new Map<string, number>()
  const before = run.slice(0, at)
  for (const [session, kept] of sessions) {
    const until = moment === null ? -1 : kept.findIndex(one => one.at >= moment)
    const count = until < 0 ? kept.length : until
    if (!fits(before, session, kept.slice(0, count))) return null
    cut.set(session, count)
  }
  return { run: at, sessions: cut }
}

/**
 * The same for a fork that goes on in earnest: what a person was asked about one call in the source says nothing here, so a call that is not settled by
 * then is judged here, and asked about again.
 */
export function cutUnasked(...[run, sessions, fromSeq]: Parameters<typeof cutAt>): Cut | null {
  const cut = cutAt(run, sessions, fromSeq)
  const judged = cut === null ? null : askedIn(run.slice(0, cut.run))
  return judged === null ? cut : cutUnasked(run, sessions, judged)
}

/** The first judgement of a call that a person was asked about, and that has no result. */
function askedIn(run: readonly Kept<RunEvent>[]): number | null {
  const judged = new Map<string, number>()
  const asked = new Map<string, number>()
  for (const { sequence, event } of run) {
    if (event.type !== 'tool.judged' && event.type !== 'tool.waiting' && event.type !== 'tool.settled') continue
    const key = JSON.stringify([event.nodeId, event.call])
    if (event.type === 'tool.judged') judged.set(key, sequence)
    else if (event.type === 'tool.waiting') asked.set(key, judged.get(key) ?? sequence)
    else asked.delete(key)
  }
  return asked.size === 0 ? null : Math.min(...asked.values())
}

const BOTH: readonly (readonly [RunEvent['type'], SessionEvent['type']])[] = [
  ['node.started', 'run.requested'],
  ['step.started', 'step.started'],
  ['step.settled', 'step.settled'],
  ['tool.judged', 'tool.judged'],
  ['tool.settled', 'tool.callSettled'],
]

function fits(run: readonly Kept<RunEvent>[], session: string, kept: readonly Kept<SessionEvent>[]): boolean {
  const started = run.find(({ event }) => event.type === 'node.started' && event.session === session)?.event
  if (started?.type !== 'node.started') return kept.length === 0
  return BOTH.every(([told, type]) => {
    const inRun = run.filter(({ event }) => event.type === told && 'nodeId' in event && event.nodeId === started.nodeId).length
    return inRun === kept.filter(({ event }) => event.type === type).length
  })
}
