// A run that goes on from another: whose fork it is, and what its prompts say of the run. Does not know how one is made.
import type { History } from '../session/history.ts'
import type { RunState } from './state.ts'

export type ForkMode = 'replay' | 'branch'

/** What prompts say of their run, so that a fork is told what its source was told. */
export interface RunNames {
  readonly runId: string
  readonly createdAt: string
  readonly createdBy: string
}

export interface ForkOf {
  readonly runId: string
  /** From here on it is made anew. */
  readonly fromSeq: number
  readonly mode: ForkMode
  /** How many events were taken over as they were: those before `fromSeq` that were not written together with it. */
  readonly copied: number
  /** Of the source; of a fork of a fork, of the first. */
  readonly names: RunNames
  /** By node that worked in a lasting session and has yet to start: the messages that were there when it first did. Left out where there is none. */
  readonly began?: Readonly<Record<string, History>>
}

/** OpenWOP's. */
export type DivergenceKind = 'output' | 'missing' | 'extra' | 'type-mismatch'

interface Run {
  readonly state: RunState
  readonly createdAt: string
  readonly createdBy: string
}

export const namesOf = ({ state, createdAt, createdBy }: Run): RunNames =>
  state.forkOf?.names ?? { runId: state.runId, createdAt, createdBy }

/** Nobody may do any of it in earnest. */
export const isReplay = ({ forkOf }: Pick<RunState, 'forkOf'>): boolean => forkOf?.mode === 'replay'
