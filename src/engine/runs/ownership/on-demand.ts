// Runs for a process that lives as long as one command. It conducts only the runs that the command names, and leaves all others alone.
import { decideRun, type RunCommand } from '../../../core/run/decide.ts'
import { draftRun } from '../../../core/run/draft.ts'
import { isReplay } from '../../../core/run/fork.ts'
import { isEnded } from '../../../core/run/state.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { loadRun } from '../load.ts'
import { providersOf } from '../start/providers.ts'
import { worldOf } from '../start/world.ts'
import type { RunName, RunSubmission, RunWork, SubmittedRun } from '../work.ts'
import { type RunChange, type RunPlace, unchanged, writeRun } from '../write-run.ts'

export interface OnDemand {
  /** Throws when one of these providers lacks something here. A run that continued without it would fail for good. */
  ready(providers: ReadonlySet<string>): Promise<void>
  /** False while a host works on the same record: then the host continues the run. */
  mayConduct(): boolean
  newOwner(): string
}

/** Commands after which the run continues here. The others only change what its next conductor finds. */
const CONTINUES: readonly RunCommand['type'][] = ['resume', 'cancel', 'resolveMode', 'turn']
const NEEDS_PROVIDERS: readonly RunCommand['type'][] = ['resume', 'resolveMode']

const isMessage = (command: RunCommand): boolean => command.type === 'turn' && command.command.type === 'leaveMessage'

export function onDemand(runs: RunWork, store: Store, { ready, mayConduct, newOwner }: OnDemand): RunWork {
  /** Runs that this process conducts. */
  const conducted = new Set<string>()
  const keyOf = ({ tenant, runId }: RunName): string => JSON.stringify([tenant, runId])

  async function conduct({ tenant, runId }: RunName): Promise<void> {
    if (conducted.has(keyOf({ tenant, runId })) || !mayConduct()) return
    conducted.add(keyOf({ tenant, runId }))
    await runs.resume({ tenant, runId })
  }
  async function checkReady({ tenant, runId }: RunName): Promise<void> {
    if (mayConduct()) await ready(await providersOf(store, tenant, runId))
  }

  return {
    ...runs,
    async create(place, request) {
      conducted.add(keyOf(place))
      return runs.create(place, request)
    },
    async ask(place, request) {
      conducted.add(keyOf(place))
      return runs.ask(place, request)
    },
    async submit(place, command, submission = {}) {
      const run = await loadRun(store, place.tenant, place.runId)
      if (conducted.has(keyOf(place)) || run.state.runId === '' || isEnded(run.state)) return runs.submit(place, command, submission)
      if (isMessage(command)) {
        await checkReady(place)
        await conduct(place)
        return runs.submit(place, command, submission)
      }
      if (NEEDS_PROVIDERS.includes(command.type)) await checkReady(place)
      // An abandoned run is not paused. Its conductor is gone, and it continues from where it is.
      const isAbandoned = command.type === 'resume' && run.state.phase !== 'paused'
      const done = isAbandoned
        ? { run, events: [], refusal: null, replayed: false }
        : await leaveCommand(store, place, newOwner(), command, submission)
      if (done.refusal === null && CONTINUES.includes(command.type)) await conduct(place)
      return done
    },
    async answer(place, answer, submission) {
      await checkReady(place)
      await conduct(place)
      return runs.answer(place, answer, submission)
    },
  }
}

/** Claims the run and records the command in one commit, so that the earlier conductor writes nothing more. Starts no work. */
export async function leaveCommand(
  store: Store,
  place: RunPlace,
  owner: string,
  command: RunCommand,
  { objects = [], idempotency }: RunSubmission = {},
): Promise<SubmittedRun> {
  const written = await writeRun(store, place, async (run): Promise<RunChange<Pick<SubmittedRun, 'events' | 'refusal'>>> => {
    const { state } = run
    if (isReplay(state) && !isEnded(state)) throw new Fault('run_is_replay', { runId: place.runId })
    const { workflow } = await worldOf(store, place.tenant, state)
    const claimed = decideRun(draftRun(state), workflow, { type: 'claim', owner })
    const ruling = 'events' in claimed ? decideRun(claimed, workflow, command) : claimed
    if (!('events' in ruling)) return unchanged(run, { events: [], refusal: ruling })
    const { events } = ruling
    const storedAnswer = idempotency?.(events)
    return {
      draft: ruling,
      objects,
      ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }),
      answer: { events, refusal: null },
    }
  })
  const { run, answer, replayed } = written!
  return { run, events: replayed ? [] : answer.events, refusal: answer.refusal, replayed }
}
