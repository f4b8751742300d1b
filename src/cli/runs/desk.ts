// Where the commands about runs do their asking: on the record at rest, or through a host. Whatever is shown is made from the same events.
import type { Mode } from '../../core/compose/mode.ts'
import type { Digest } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { Budget } from '../../core/workflow/workflow.ts'
import type { AskedFork } from '../../engine/fork/forks.ts'
import type { AskedApproval } from '../../engine/runs/calls/approvals.ts'
import type { ApprovalAnswer } from '../../engine/turns/answer-approval.ts'
import type { ProviderWait } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { hostFor, workAt } from '../host/which-host.ts'
import type { DeskUse, ShownEvent } from '../sessions/desk.ts'

export interface StartRun {
  readonly workflowId: string
  readonly inputs: JsonObject
  readonly configurable: JsonObject | null
  readonly budget: Partial<Budget>
  readonly mode?: Mode
  readonly override?: string
}

/** What can be asked of a run that is there. */
export type RunRequest =
  | { readonly type: 'pause' | 'resume' }
  | { readonly type: 'cancel'; readonly reason: string | null }
  | { readonly type: 'mode'; readonly mode: Mode }
  /** Null for every node that has none of its own; without a text, it is taken back. */
  | { readonly type: 'override'; readonly nodeId: string | null; readonly text: string | null }

export interface ListedRun {
  readonly runId: string
  readonly workflowId: string
  readonly status: string
  readonly createdAt: string
  readonly changedAt: string
  readonly forkOf?: { readonly runId: string; readonly fromSeq: number; readonly mode: 'replay' | 'branch' }
}

export type ListedApproval = AskedApproval

/** `interrupt` ends what is being said. */
export type SayKind = 'steer' | 'interrupt' | 'follow-up'

/** Runs that are read, and waited for while they go on. */
export interface WatchedRuns {
  /** As they were recorded, oldest first, and with a signal every new one until it aborts. Throws `run_missing`. */
  events(runId: string, options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<ShownEvent>
  object(digest: Digest): Promise<Uint8Array>
  /** Pieces of replies on their way, until the signal aborts. */
  hear(runId: string, nodeId: string, signal: AbortSignal, listen: (text: string) => void): void
  /** The run is over, is paused, or waits for a person. @param after what was before is of no interest */
  settled(runId: string, after: number): Promise<void>
}

export interface RunDesk extends WatchedRuns {
  /** The id of the run. It is on record. */
  create(request: StartRun): Promise<string>
  /** The id of the fork. It is on record, and goes on from there. */
  fork(runId: string, asked: AskedFork): Promise<string>
  list(): AsyncIterable<ListedRun>
  /** The provider that the host waits for; null where no host runs, or nothing is missing. */
  waiting(runId: string): Promise<ProviderWait | null>
  ask(runId: string, request: RunRequest): Promise<void>
  /** Leaves a message for the agent of a node. */
  say(runId: string, nodeId: string, kind: SayKind, text: string): Promise<void>
  approvals(): Promise<readonly ListedApproval[]>
  resolve(approval: string, answer: Omit<ApprovalAnswer, 'approval'>): Promise<void>
  /** Goes on with what somebody has left. A host has done so when it started. */
  takeUp(runId: string): Promise<void>
  /** Whether a run goes on when the command has ended. */
  readonly lasts: boolean
  close(): Promise<void>
}

/** Through the host that is named, or that runs on the folder; else on the folder itself. */
export const withRunDesk = async (input: Input, work: (desk: RunDesk) => Promise<number>, use: DeskUse = {}): Promise<number> =>
  workAt(await openRunDesk(input, use), input, work)

export async function openRunDesk(input: Input, use: DeskUse = {}): Promise<RunDesk> {
  const host = await hostFor(input)
  if (host !== null) return (await import('./through-host.ts')).runDeskThrough(host)
  return (await import('./at-rest.ts')).runDeskAtRest(input, use)
}
