// Folder: Repeats the decisions of a recorded run and compares. It folds the stream itself, calls nothing and writes nothing.
// Replays a run from its record. Level 1 folds its events; level 2 also repeats every decision whose inputs are on record, and reports
// divergences. Asks no model and no tool, and writes nothing.
import { canonicalJson, type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import type { Divergence, Rotation } from '../../core/replay/divergence.ts'
import type { KindRefs } from '../../core/resolve/layers.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { runFolding } from '../../core/run/reduce.ts'
import type { RunPhase, RunState } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { isMalformed } from '../reading/malformed.ts'
import { NO_RUN } from '../runs/load.ts'
import { loadFrozen } from '../runs/start/frozen.ts'
import type { Believed } from './believed.ts'
import { type Decisions, decisions, type ReplayedPrompt } from './decisions.ts'
import { type GapPlace, gapsIn, unfitEvent } from './gaps.ts'
import { chainedPages, type Diverged } from './read-chained.ts'

export type ReplayLevel = 1 | 2

export interface ReplayOptions {
  readonly level?: ReplayLevel
  /** The host's current default refs. Left out: changed defaults are not looked for. */
  readonly hostDefaults?: KindRefs | null
  /** Waited for now and then: a replay may be long, and others want to be served too. */
  readonly pause?: () => Promise<void>
  /** Called with every prompt that is made again. */
  readonly onPrompt?: (prompt: ReplayedPrompt) => void
}

export interface Replayed {
  readonly runId: string
  readonly level: ReplayLevel
  readonly identical: boolean
  readonly events: number
  /** How many were composed again, and how many calls judged again. */
  readonly prompts: number
  readonly verdicts: number
  /** Facts that were assumed from the record: in every run, and in at least one verdict. */
  readonly believed: readonly Believed[]
  readonly phase: RunPhase
  /** The hash of the run's state in canonical JSON. */
  readonly stateHash: Digest
  /** In the order in which they were met. */
  readonly divergences: readonly Divergence[]
  /** How many more there are. */
  readonly left: number
  readonly rotations: readonly Rotation[]
}

const MOST_DIVERGENCES = 100
const EVENTS_AT_ONCE = 32

export async function replayRun(
  store: Store,
  tenant: string,
  runId: string,
  { level = 2, hostDefaults = null, pause, onPrompt = () => {} }: ReplayOptions = {},
): Promise<Replayed> {
  const divergences: Divergence[] = []
  let left = 0
  const diverged = (divergence: Divergence): void => {
    if (divergences.length < MOST_DIVERGENCES) divergences.push(divergence)
    else left += 1
  }
  const gaps = gapsIn(store, tenant, diverged)
  const decided: Decisions | null = level === 1 ? null : decisions({ store, tenant, diverged, gaps, onPrompt })

  const next = runFolding()
  let run = NO_RUN
  const folded = ({ seq: sequence, type }: RecordedEvent, event: RunEvent): RunState => {
    try {
      return next(event)
    } catch (error) {
      if (!isMalformed(error)) throw error
      unfitEvent({ sequence }, type, diverged)
      return run.state
    }
  }
  for await (const page of chainedPages(store, tenant, runStream(runId), diverged, false))
    for (const { event: recorded } of page) {
      const event = runEvent(recorded)
      if (recorded.seq === 0) run = { ...run, createdAt: recorded.at, createdBy: recorded.actor }
      if (pause !== undefined && recorded.seq % EVENTS_AT_ONCE === 0) await pause()
      // Uses only the state right before the event: later events have no influence.
      if (decided !== null) await decided.meet(run, recorded, event)
      run = { ...run, state: folded(recorded, event), seq: recorded.seq }
    }
  if (run.seq < 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })

  const hash = stateHash(run.state, { sequence: run.seq }, diverged)
  const rotations: Rotation[] = []
  if (level === 2 && hostDefaults !== null)
    await gaps.around({ sequence: 0 }, 'run.created', async () => {
      rotations.push(...(await rotationsOf(store, tenant, run.state.frozen, hostDefaults)))
    })
  return {
    runId,
    level,
    identical: divergences.length === 0,
    events: run.seq + 1,
    ...(decided?.counts() ?? { prompts: 0, verdicts: 0, believed: [] }),
    phase: run.state.phase,
    stateHash: hash,
    divergences,
    left,
    rotations,
  }
}

export async function rotationsOf(store: Store, tenant: string, frozen: Digest | null, now: KindRefs): Promise<readonly Rotation[]> {
  if (frozen === null) return []
  const { hostDefaults: then } = await loadFrozen(store, tenant, frozen)
  return [...new Set([...Object.keys(then), ...Object.keys(now)])].sort().flatMap(kind => {
    const [expected, found] = [then, now].map(refs => ((refs as Readonly<Record<string, Json>>)[kind] ?? null) as Json)
    return canonicalJson(expected!) === canonicalJson(found!) ? [] : [{ kind, expected: expected!, found: found! }]
  })
}

/** @param last where the events end: which of them left something out is not known any more */
function stateHash(state: object, last: GapPlace, diverged: Diverged): Digest {
  try {
    return digestJson(state as unknown as Json)
  } catch (error) {
    if (!isMalformed(error)) throw error
    unfitEvent(last, 'state', diverged)
    return digestJson(JSON.parse(JSON.stringify(state)) as Json)
  }
}
