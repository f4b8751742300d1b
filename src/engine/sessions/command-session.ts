// Sends a client's command to a session: to the run that is active in it, or to the session's queue while none is.
import type { Digest } from '../../core/digest/digest.ts'
import type { RunCommand } from '../../core/run/decide.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { NodeOfRun } from '../../core/session/events.ts'
import { Fault } from '../../errors.ts'
import type { Commit, Store } from '../../ports.ts'
import { loadRun } from '../runs/load.ts'
import type { RunWork } from '../runs/work.ts'
import { outputIn } from '../turns/node-values.ts'
import { type AskedCommand, leftMessage, refusalFault, runCommandFor } from './requests.ts'
import type { SessionPlace } from './submit.ts'
import { existingSession } from './views.ts'
import type { SessionWork } from './work.ts'

interface Works {
  readonly work: SessionWork
  readonly runs: Pick<RunWork, 'submit'>
}

export interface GivenCommand extends AskedCommand {
  readonly id: string
  /** The run that the caller means, by its number in the session; null for the open one. */
  readonly run?: number | null
  readonly message?: Digest
  readonly objects?: readonly Uint8Array[]
}

type Keep = () => Commit['idempotency'] | undefined

const isMessage = (kind: AskedCommand['kind']): kind is 'steer' | 'interrupt' | 'follow-up' =>
  kind === 'steer' || kind === 'interrupt' || kind === 'follow-up'

/** A run may begin or end while a message is on its way: the message follows it. */
const MOVED: readonly string[] = ['run_already_active', 'run_ended', 'node_not_running']

/** Throws a fault for a refusal. */
export async function commandSession(
  works: Works,
  store: Store,
  place: SessionPlace,
  given: GivenCommand,
  keep: Keep = () => undefined,
): Promise<{ readonly replayed: boolean }> {
  for (;;) {
    const { refusal, replayed } = await submitted(works, store, place, given, keep)
    if (refusal === null) return { replayed }
    if (!isMessage(given.kind) || !MOVED.includes(refusal.code)) throw refusalFault(refusal)
  }
}

interface Submitted {
  readonly refusal: { readonly code: string; readonly message: string } | null
  readonly replayed: boolean
}

async function submitted(
  { work, runs }: Works,
  store: Store,
  place: SessionPlace,
  { id, run = null, message, objects = [], ...asked }: GivenCommand,
  keep: Keep,
): Promise<Submitted> {
  const { tenant, session, actor } = place
  const { state } = await existingSession(store, tenant, session)
  const { open } = state
  if (run !== null && run !== open?.run) throw refusalFault({ code: 'command_stale', message: `run ${run} is not open` })
  if (open === null) {
    if (!isMessage(asked.kind)) throw refusalFault({ code: 'command_not_allowed', message: `there is no run to ${asked.kind}` })
    const command = { type: 'leaveMessage', message: leftMessage(id, asked.kind, message) } as const
    const done = await work.submit(place, command, { objects, idempotency: keep })
    return { refusal: done.refusal, replayed: done.replayed !== null }
  }
  const ending = asked.kind === 'complete' ? await endingOf(store, tenant, open) : null
  const command = runCommandFor(open.nodeId, id, asked, message)
  const given: RunCommand = command.type === 'turn' && ending !== null ? { ...command, output: ending.output } : command
  const submission = { objects: [...objects, ...(ending?.objects ?? [])], idempotency: keep }
  const done = await runs.submit({ tenant, runId: open.runId, actor }, given, submission)
  return { refusal: done.refusal, replayed: done.replayed }
}

/** For a run that waits for input; refused with `run_not_waiting` otherwise. */
export async function provideInput(
  works: Works,
  store: Store,
  place: SessionPlace,
  { id, message, objects }: { readonly id: string; readonly message: Digest; readonly objects: readonly Uint8Array[] },
  keep: Keep = () => undefined,
): Promise<{ readonly replayed: boolean }> {
  const { open } = (await existingSession(store, place.tenant, place.session)).state
  const node = open === null ? null : nodeOf((await loadRun(store, place.tenant, open.runId)).state, open.nodeId)
  if (open === null) throw refusalFault({ code: 'run_missing', message: 'no run is open' })
  if (node!.status !== 'waiting')
    throw new Fault('run_not_waiting', { problem: `Run ${open.run} is ${node!.status}; it does not wait for input` })
  return commandSession(works, store, place, { id, kind: 'follow-up', message, objects }, keep)
}

/** The output of an interactive run is its last reply. */
async function endingOf(store: Store, tenant: string, { runId, nodeId }: NodeOfRun): ReturnType<typeof outputIn> {
  const { turn } = nodeOf((await loadRun(store, tenant, runId)).state, nodeId)
  return turn === null ? null : outputIn(store, tenant, turn)
}
