// A command to a run, and what a node's session is told of it: decided together, to be committed together.
import { decideRun, draftRun, type RunCommand } from '../../core/run/decide.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import type { Commit } from '../../ports.ts'
import type { LoadedRun } from './load.ts'
import { answerTo, type ToldSession, withTold } from './mode-answers.ts'
import type { LoadNode, RunChange } from './write-run.ts'

export interface RunSubmission {
  readonly objects?: readonly Uint8Array[]
  readonly idempotency?: (events: readonly RunEvent[]) => Commit['idempotency'] | undefined
}

/** What a command came to. */
export interface CommandedRun {
  readonly events: readonly RunEvent[]
  readonly refusal: { readonly code: string; readonly message: string } | null
  readonly told: ToldSession | null
}

export async function commandRun(
  load: LoadNode,
  { state }: LoadedRun,
  workflow: Workflow,
  command: RunCommand,
  submission: RunSubmission,
): Promise<RunChange<CommandedRun>> {
  const ruling = decideRun(draftRun(state), workflow, command)
  if (!('events' in ruling)) return { run: draftRun(state), answer: { events: [], refusal: ruling, told: null } }
  const kept = submission.idempotency?.(ruling.events)
  const told = await answerTo(load, state, ruling.events)
  return {
    ...(told === null ? { run: ruling } : withTold(ruling, workflow, told)),
    objects: [...(submission.objects ?? []), ...(told?.decided.objects ?? [])],
    ...(kept === undefined ? {} : { idempotency: kept }),
    answer: { events: ruling.events, refusal: null, told },
  }
}
