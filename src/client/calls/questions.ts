// Questions about recorded runs: which prompt won and why, where its text comes from, what differs, and whether a replay gives the same result.
import type { blameAnswer } from '../../wire/onbook/blame-schema.ts'
import type { differencesAnswer } from '../../wire/onbook/differences-schema.ts'
import type { Document } from '../../wire/onbook/document.ts'
import type { prefixAnswer } from '../../wire/onbook/prefix-schema.ts'
import type { replayAnswer } from '../../wire/onbook/replay-schema.ts'
import type { verifiedAnswer } from '../../wire/onbook/verify-schema.ts'
import type { whyAnswer } from '../../wire/onbook/why-schema.ts'
import { answerWith, listIn } from '../shapes.ts'
import type { CallOptions, Question, Transport } from '../transport.ts'

export type WhyEntry = Document<typeof whyAnswer>['items'][number]
export type BlamedStep = Document<typeof blameAnswer>['items'][number]
export type RunDifferences = Document<typeof differencesAnswer>
export type PrefixEntry = Document<typeof prefixAnswer>['items'][number]
export type VerifiedRecord = Document<typeof verifiedAnswer>
export type ReplayedRun = Document<typeof replayAnswer>

interface StepChoice extends CallOptions {
  readonly nodeId?: string
  /** Default: the newest. */
  readonly visit?: number
  /** Default: the newest. */
  readonly step?: number
}

export interface Questions {
  /** One entry for each node and kind, with the result of every layer. */
  why(runId: string, options?: Omit<StepChoice, 'step'> & { readonly kind?: string }): Promise<readonly WhyEntry[]>
  /** The source of every span of a prompt. */
  blame(runId: string, options?: StepChoice): Promise<readonly BlamedStep[]>
  /** The differences between two runs; or, with `nodeId` and `steps` (`1..2`), between two steps of one run. */
  diff(
    runId: string,
    options: CallOptions & { readonly with?: string; readonly nodeId?: string; readonly steps?: string },
  ): Promise<RunDifferences>
  /** The share of a request that stays the same from step to step, for each node and model. */
  prefix(runId: string, options?: CallOptions & { readonly nodeId?: string }): Promise<readonly PrefixEntry[]>
  /** Replays the run from its record. Asks no model. Default: level 2. */
  replay(runId: string, options?: CallOptions & { readonly level?: 1 | 2 }): Promise<ReplayedRun>
  /** Whether the tenant's part of the record is as it was written and signed. The host checks it. */
  verify(options?: CallOptions): Promise<VerifiedRecord>
  /** A run file, with everything that questions about the run need. */
  exportRun(runId: string, options?: CallOptions): Promise<Uint8Array>
}

const pathOf = (runId: string, rest: string): string => `/v1/runs/${encodeURIComponent(runId)}${rest}`

export function createQuestions(transport: Transport): Questions {
  const ask = async (path: string, options: CallOptions, query: Readonly<Record<string, string | number | undefined>>) => {
    const named: Question['query'] = Object.entries(query).map(([name, value]) => [name, value?.toString()])
    return (await transport.ask({ method: 'GET', path, query: named, ...options })).body
  }
  return {
    why: async (runId, { nodeId, visit, kind, ...options } = {}) =>
      listIn(await ask(pathOf(runId, '/why'), options, { nodeId, visit, kind }), 'items') as readonly WhyEntry[],
    blame: async (runId, { nodeId, visit, step, ...options } = {}) =>
      listIn(await ask(pathOf(runId, '/blame'), options, { nodeId, visit, step }), 'items') as readonly BlamedStep[],
    diff: async (runId, { with: other, nodeId, steps, ...options }) =>
      answerWith(await ask(pathOf(runId, '/diff'), options, { with: other, nodeId, steps }), 'a') as RunDifferences,
    prefix: async (runId, { nodeId, ...options } = {}) =>
      listIn(await ask(pathOf(runId, '/prefix'), options, { nodeId }), 'items') as readonly PrefixEntry[],
    replay: async (runId, { level, ...options } = {}) =>
      answerWith(await ask(pathOf(runId, '/replay'), options, { level }), 'identical') as ReplayedRun,
    verify: async (options = {}) => answerWith(await ask('/v1/verify', options, {}), 'intact') as VerifiedRecord,
    async exportRun(runId, { signal = new AbortController().signal } = {}) {
      const response = await transport.open({ method: 'GET', path: pathOf(runId, ':export') }, signal)
      return new Uint8Array(await response.arrayBuffer())
    },
  }
}
