// The facts about a fork: its source, and the names in its prompts. Does not know how one is made.
import type { History } from '../session/history.ts'
import type { RunState } from './state.ts'

export type ForkMode = 'replay' | 'branch'

/** The names that prompts contain. A fork uses those of its source, so that its prompts have the same bytes. */
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
  /** The names of the source; for a fork of a fork, those of the first source. */
  readonly names: RunNames
  /**
   * For each node in a lasting session that has yet to start: the messages of that session at its first start. Left out
   * without such nodes.
   */
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

/** A replay has no effects: no tool or model is called. */
export const isReplay = ({ forkOf }: Pick<RunState, 'forkOf'>): boolean => forkOf?.mode === 'replay'
