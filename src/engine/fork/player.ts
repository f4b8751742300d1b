// A fork under construction: its position in the source, and its writes. Every difference from the source is recorded with the fork.

import { canonicalJson, type Digest, type Json } from '../../core/digest/digest.ts'
import { type Aligned, align, type Pair, restOf, type Track } from '../../core/fork/align.ts'
import { type Difference, differenceIn, restDifference } from '../../core/fork/differences.ts'
import { divergedEvent } from '../../core/fork/diverged.ts'
import { referencesIn } from '../../core/record/references.ts'
import type { TextOf } from '../../core/replay/compare-told.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import { draftRun, emitRun } from '../../core/run/draft.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { isEnded, type RunState } from '../../core/run/state.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { Store } from '../../ports.ts'
import { promptOf, type ReplayedPrompt } from '../replay/decisions.ts'
import { textAt } from '../replay/texts-of.ts'
import type { WriteOwned } from '../runs/ownership/owned-runs.ts'
import { worldOf } from '../runs/start/world.ts'
import { type RunChange, writeRun } from '../runs/write-run.ts'
import { isAside, type Source, trackOf } from './source.ts'

export interface Player {
  readonly store: Store
  readonly tenant: string
  readonly source: Source
  run(): Track<RunEvent>
  readonly write: WriteOwned
  /** Number of changes since the walk began or resumed. */
  writes(): number
  /** Another text whenever it has come further. */
  position(): string
  /** Goes past what did not happen again. */
  skip(): Promise<void>
  /** Records a difference that the walk itself found, once. */
  tell(difference: Difference): Promise<void>
}

export interface Hearing {
  readonly diverged: (divergence: Divergence) => void
  readonly onPrompt: (prompt: ReplayedPrompt) => void
}

/** Resumes at the fork's position: compares earlier events with the source again, and reports each difference only once. */
export async function playerOf(store: Store, tenant: string, source: Source, { diverged, onPrompt }: Hearing): Promise<Player> {
  const { runId, forkId } = source.names
  let writes = 0
  const isOpen = !isOver(source)
  const { events: made, skipped, recordedDetails, last } = await madeIn(store, tenant, forkId)
  /** As far as is known here: a walk that finds more has not written it. */
  let head = last
  let run = past(align(trackOf(source.run), made).track, skipped)

  const compared = async ({ pairs, track }: Aligned<RunEvent>, texts: readonly StoredText[]) => {
    const found: (Difference | null)[] = []
    for (const pair of pairs) if (isOnRecord(pair, track)) found.push(differenceIn(pair, await textsFor(store, tenant, pair, texts)))
    return found
  }
  /** The record does not say what would follow after its end. */
  const isOnRecord = (pair: Pair<unknown>, { next, kept }: Track<RunEvent>): boolean => pair.kept !== null || !isOpen || next < kept.length
  const tell = (found: readonly Divergence[], pairs: readonly Pair<RunEvent>[], state: RunState): void => {
    writes += 1
    for (const one of found) diverged(one)
    for (const { kept, made } of pairs)
      if (kept?.event.type === 'step.started' && made?.type === 'step.started')
        onPrompt(promptOf({ state }, kept.sequence, kept.event, made.prompt))
  }

  const write: WriteOwned = async (place, decide) => {
    let done = (): void => {}
    const written = await writeRun(store, place, async (loaded, load) => {
      const change = await decide(loaded, await worldOf(store, tenant, loaded.state), load)
      // Another process walks it too.
      if (change === null || loaded.seq !== head) return null
      const aligned = align(run, change.draft.events)
      const ends = !isOpen && !isEnded(loaded.state) && isEnded(change.draft.state)
      const rest = ends ? restDifference(restOf(aligned.track)) : null
      const differing = toldOf(runId, [...(await compared(aligned, change.texts ?? [])), rest])
      const recordedChange = withDifferences(change, differing)
      const isNothing = change.draft.events.length === 0
      // A walk that decides again has not written yet.
      done = () => {
        head = loaded.seq + recordedChange.draft.events.length
        run = aligned.track
        if (!isNothing) tell(differing.found, aligned.pairs, change.draft.state)
      }
      return recordedChange
    })
    if (written !== null) done()
    return written
  }

  /** Writes divergences and nothing else. False when another process wrote in the meantime. */
  async function writeAside(differences: readonly (Difference | null)[]): Promise<boolean> {
    const { events, kept: texts, found } = toldOf(runId, differences)
    const written = await writeRun(store, { tenant, runId: forkId, actor: ACTOR }, async ({ state, seq }) =>
      seq === head ? { draft: { ...emitRun(draftRun(state), ...events), objects: texts }, answer: null } : null,
    )
    if (written === null) return false
    head = written.run.seq
    for (const one of found) diverged(one)
    return true
  }

  return {
    store,
    tenant,
    source,
    run: () => run,
    write,
    writes: () => writes,
    position: () => String(run.next),
    async skip() {
      const kept = run.kept[run.next]!
      const missed = await compared({ pairs: [{ sequence: kept.sequence, kept, made: null }], track: run }, [])
      if (await writeAside(missed)) run = { ...run, next: run.next + 1 }
    },
    async tell(difference) {
      const { details } = divergedEvent(runId, difference).event
      if (recordedDetails.has(details) || !(await writeAside([difference]))) return
      recordedDetails.add(details)
    },
  }
}

const ACTOR = 'onbook'
const ENDS: readonly string[] = ['run.completed', 'run.failed', 'run.cancelled']
export const isOver = ({ run }: Source): boolean => run.some(({ event }) => ENDS.includes(event.type))

interface Told {
  readonly events: readonly RunEvent[]
  readonly kept: readonly StoredText[]
  readonly found: readonly Divergence[]
}

function toldOf(runId: string, differences: readonly (Difference | null)[]): Told {
  const found = differences.filter(one => one !== null)
  const divergences = found.map(one => divergedEvent(runId, one))
  return {
    events: divergences.map(({ event }) => event),
    kept: divergences.map(({ text }) => text),
    found: found.flatMap(({ divergences }) => divergences),
  }
}

function withDifferences<T>(change: RunChange<T>, { events, kept }: Told): RunChange<T> {
  if (events.length === 0) return change
  const { draft } = change
  return { ...change, draft: emitRun({ ...draft, objects: [...draft.objects, ...kept] }, ...events) }
}

interface Made {
  readonly events: readonly RunEvent[]
  readonly last: number
  /** Events of the source that did not happen again and are already reported. */
  readonly skipped: ReadonlySet<number>
  /** Details of the divergences on record. */
  readonly recordedDetails: Set<Digest>
}

async function madeIn(store: Store, tenant: string, forkId: string): Promise<Made> {
  const events: RunEvent[] = []
  const skipped = new Set<number>()
  const recordedDetails = new Set<Digest>()
  let last = -1
  for await (const { event: recorded } of store.read(tenant, runStream(forkId), -1)) {
    const event = runEvent(recorded)
    last = recorded.seq
    if (event.type === 'replay.diverged' && event.divergenceKind === 'missing') skipped.add(event.atSequence)
    if (event.type === 'replay.diverged') recordedDetails.add(event.details)
    if (!isAside(event)) events.push(event)
  }
  return { events, skipped, recordedDetails, last }
}

function past({ kept, next }: Track<RunEvent>, skipped: ReadonlySet<number>): Track<RunEvent> {
  let at = next
  while (at < kept.length && skipped.has(kept[at]!.sequence)) at += 1
  return { kept, next: at }
}

/** The texts of both events, as far as the store has them. */
async function textsFor(store: Store, tenant: string, { kept, made }: Pair<RunEvent>, texts: readonly StoredText[]): Promise<TextOf> {
  const known = new Map<Digest, string | null>(texts.map(({ digest, text }) => [digest, text]))
  const isSame = kept === null || made === null || canonicalJson(kept.event as unknown as Json) === canonicalJson(made as unknown as Json)
  for (const event of isSame ? [] : [kept.event, made])
    for (const digest of referencesIn(event as unknown as Json))
      if (!known.has(digest)) known.set(digest, await textAt(store, tenant, digest))
  return digest => known.get(digest) ?? null
}
