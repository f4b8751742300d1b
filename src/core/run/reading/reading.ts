// A run in the form that queries read: visits of nodes, steps with their outcome, tool calls, and the events of the run itself.
import type { Digest } from '../../digest/digest.ts'
import type { Verdict } from '../../gate/authorize.ts'
import type { RunConfig } from '../../session/config.ts'
import type { Failure } from '../../session/events.ts'
import type { ApprovalDecision, CallStatus, StepStarted } from '../../turn/events.ts'
import type { FilesChange, Worker } from '../changes.ts'
import type { RunEvent } from '../events.ts'

export type RunEventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

/** The place of an event in the run's stream. */
export interface Place {
  readonly sequence: number
  readonly at: string
}

export interface RunReading {
  /** In the order in which they began. A skipped node has a visit without steps. */
  readonly visits: readonly RunVisit[]
  /** The steps of all nodes, in the order in which they were sent. */
  readonly steps: readonly RunStep[]
  /** The events that belong to no visit, oldest first. */
  readonly facts: readonly RunFact[]
  /** The place of the newest event; its sequence is -1 while there is no event. */
  readonly last: Place
}

export interface RunFact<E extends RunEvent = RunEvent> extends Place {
  readonly actor: string
  readonly event: E
}

export interface RunVisit extends Place {
  readonly nodeId: string
  /** From 1; more than once where an edge leads back. */
  readonly visit: number
  readonly handoffs: Digest | null
  readonly traced: readonly (Place & RunEventOf<'prompt.traced'>)[]
  readonly composed: readonly RunEventOf<'prompt.composed'>[]
  readonly steps: readonly RunStep[]
  /** Null while the node is at work. */
  readonly outcome: VisitOutcome | null
}

export type VisitOutcome =
  | { readonly status: 'completed' | 'cancelled' }
  | ({ readonly status: 'failed' } & Failure)
  | { readonly status: 'skipped'; readonly reason: string }

/** The sequence is that of `step.started`, which is on record before the step is sent. */
export interface RunStep extends Place, Omit<StepStarted, 'type'> {
  /** Steps are counted from 1 in each visit. */
  readonly visit: number
  /** The lasting session that the node works in; null without one. */
  readonly session: string | null
  /** The session that the node's snapshot comes from; null without one. */
  readonly home: string | null
  readonly config: RunConfig | null
  /** Null while the step is not settled. */
  readonly outcome: StepOutcome | null
  /** In the order in which they first appear in the record. */
  readonly calls: readonly RunCall[]
  /** Changes of the repo by the agent or by its tools, oldest first. */
  readonly changes: readonly StepChange[]
}

export interface StepOutcome extends Pick<RunEventOf<'step.settled'>, 'reply' | 'receipt' | 'failure' | 'tokens'> {
  readonly at: string
}

export type StepChange = Worker & FilesChange

export interface RunCall {
  readonly id: string
  readonly tool: string
  /** More than one where a call was judged again, for example with the arguments that a person put in. */
  readonly verdicts: readonly { readonly sequence: number; readonly verdict: Verdict }[]
  /** The answers to requests for approval. */
  readonly answers: readonly { readonly sequence: number; readonly decision: ApprovalDecision }[]
  /** Null while the call is under way, and when it was not allowed. */
  readonly outcome: ({ readonly sequence: number; readonly result: Digest | null } & CallStatus) | null
}

/** The events of some types among those that belong to no visit, oldest first. */
export const factsOf = <T extends RunEvent['type']>({ facts }: RunReading, ...types: readonly T[]): readonly RunFact<RunEventOf<T>>[] =>
  facts.filter((fact): fact is RunFact<RunEventOf<T>> => (types as readonly string[]).includes(fact.event.type))

export const bySequence = (a: { readonly sequence: number }, b: { readonly sequence: number }): number => a.sequence - b.sequence
