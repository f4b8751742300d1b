// Finds the event where a fork begins. Events with the same timestamp stay together.
import type { RunEvent } from '../run/events.ts'
import type { Kept } from './align.ts'

/** How many events are taken over. */
export function cutAt(run: readonly Kept<RunEvent>[], fromSeq: number): number {
  const first = run.findIndex(({ sequence }) => sequence >= fromSeq)
  let at = first < 0 ? run.length : first
  while (at > 0 && run[at - 1]!.at === run[at]?.at) at -= 1
  return at
}

/**
 * The same for a fork that runs tools again: an approval in the source is not valid here, so a call that is not settled by then is
 * judged here, and approved again.
 */
export function cutUnasked(run: readonly Kept<RunEvent>[], fromSeq: number): number {
  const cut = cutAt(run, fromSeq)
  const judged = askedIn(run.slice(0, cut))
  return judged === null ? cut : cutUnasked(run, judged)
}

/** The first judgement of a call with a request for approval and without a result. */
function askedIn(run: readonly Kept<RunEvent>[]): number | null {
  const judged = new Map<string, number>()
  const requests = new Map<string, number>()
  for (const { sequence, event } of run) {
    const call = callIn(event)
    if (call === null) continue
    if (event.type === 'call.judged') judged.set(call, sequence)
    else if (event.type === 'approval.requested') requests.set(call, judged.get(call) ?? sequence)
    else requests.delete(call)
  }
  return requests.size === 0 ? null : Math.min(...requests.values())
}

function callIn(event: RunEvent): string | null {
  if (event.type === 'call.judged' || event.type === 'call.settled') return JSON.stringify([event.nodeId, event.call])
  return event.type === 'approval.requested' && event.wants.kind === 'tool' ? JSON.stringify([event.nodeId, event.wants.call]) : null
}
