// What people and hosts ask of a session while it works: steer, follow up, pause, resume, cancel; and leases, which cancel what nobody keeps alive.
import type { Digest } from '../digest/digest.ts'
import type { HostSideCommand } from './commands.ts'
import { waitForInput } from './decide-run.ts'
import { finishCancel, withdrawApprovals } from './decide-step.ts'
import { type Draft, emit, emitMessage, type Ruling, refuse } from './draft.ts'
import type { HostCommand } from './events.ts'
import type { OpenRun, RunPhase } from './state.ts'

export function decideHostSide(draft: Draft, command: HostSideCommand): Ruling {
  const { run } = draft.state
  switch (command.type) {
    case 'receive':
      return receive(draft, command)
    case 'issueLease':
      return run === null ? refuse('run_missing', 'no run is open') : emit(draft, { type: 'lease.issued', lease: command.lease })
    case 'renewLease': {
      const { id, at } = command
      return run?.lease?.id === id ? emit(draft, { type: 'lease.renewed', id, at }) : refuse('lease_missing', `there is no lease ${id}`)
    }
    case 'checkLease': {
      const lease = run?.lease ?? null
      if (lease === null || run!.phase === 'cancelling' || command.at - lease.renewedAt <= lease.timeout) return draft
      return cancelRun(emit(draft, { type: 'lease.expired', id: lease.id, at: command.at }), 'lease_expired')
    }
  }
}

/** In which phases a command makes sense. Messages can always be left. */
const ALLOWED: Readonly<Record<'pause' | 'resume' | 'cancel', readonly RunPhase[]>> = {
  pause: ['running', 'waiting'],
  resume: ['paused'],
  cancel: ['requested', 'running', 'waiting', 'paused'],
}

function receive(draft: Draft, { command, epoch = null, run: target = null }: Extract<HostSideCommand, { type: 'receive' }>): Ruling {
  const { run, interrupts, steers, followUps } = draft.state
  if (epoch !== null && epoch !== draft.state.epoch)
    return refuse('command_stale', `the session is in epoch ${draft.state.epoch}, not ${epoch}`)
  if (target !== null && target !== run?.run) return refuse('command_stale', `run ${target} is not open`)
  if ([...interrupts, ...steers, ...followUps].some(({ id }) => id === command.id))
    return refuse('command_duplicate', `command ${command.id} waits already`)
  if ('message' in command) return leaveMessage(draft, command)
  const { kind } = command
  if (run === null || !ALLOWED[kind].includes(run.phase))
    return refuse('command_not_allowed', run === null ? `there is no run to ${kind}` : `run ${run.run} is ${run.phase}; it cannot ${kind}`)
  const received = emit(draft, { type: 'command.received', command })
  return emit(obey(received, command, run), { type: 'command.applied', id: command.id })
}

function obey(draft: Draft, command: Exclude<HostCommand, { readonly message: Digest }>, { run, waited }: OpenRun): Draft {
  if (command.kind === 'cancel') return cancelRun(draft, command.reason)
  if (command.kind === 'pause') return emit(draft, { type: 'run.paused', run })
  // One that waited has nothing new to ask the model about.
  return waited ? waitForInput(draft, run) : emit(draft, { type: 'run.resumed', run })
}

/** A run that waits for input takes it at once, unless it is for the next step. */
function leaveMessage(draft: Draft, command: Extract<HostCommand, { readonly message: Digest }>): Draft {
  const { run } = draft.state
  const received = emit(draft, { type: 'command.received', command })
  if (command.kind === 'steer' || run?.phase !== 'waiting') return received
  const fed = emitMessage(emit(received, { type: 'command.applied', id: command.id }), command.message)
  return emit(fed, { type: 'run.resumed', run: run.run })
}

const cancelRun = (draft: Draft, reason: string | null): Draft =>
  finishCancel(withdrawApprovals(emit(draft, { type: 'run.cancelling', run: draft.state.run!.run, reason }), 'the run was cancelled'))
