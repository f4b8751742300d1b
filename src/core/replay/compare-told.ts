// Compares the recorded events about chosen and composed prompts with those of choosing and composing again.
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import type { TraceEntry } from '../resolve/resolve.ts'
import type { RunEvent } from '../run/events.ts'
import { toldHash } from '../run/reduce.ts'
import type { PromptTemplate } from '../turn/events.ts'
import { type Divergence, textDifference } from './divergence.ts'

export type Traced = Extract<RunEvent, { readonly type: 'prompt.traced' }>
export type Composed = Extract<RunEvent, { readonly type: 'prompt.composed' }>
export type ToldEvent = Traced | Composed

export const isTold = (event: RunEvent): event is ToldEvent => event.type === 'prompt.traced' || event.type === 'prompt.composed'

/** The recorded events of a visit. */
export interface ToldOnRecord {
  /** The hashes of its events, and of all differences that were already reported. */
  readonly hashes: readonly Digest[]
  /** Events before this one were compared with an earlier step. */
  readonly since: number
  readonly events: readonly { readonly sequence: number; readonly event: ToldEvent }[]
}

/** By its name; null when it cannot be read. */
export type TextOf = (digest: Digest) => string | null

export type Place = Pick<Divergence, 'sequence' | 'nodeId' | 'step'>

export function compareTold(
  at: Place,
  { hashes, since, events }: ToldOnRecord,
  found: readonly ToldEvent[],
  templates: readonly PromptTemplate[],
  text: TextOf,
): readonly Divergence[] {
  const tellings = found.map(event => ({ event, hash: toldHash(event) }))
  const made = new Set(tellings.map(({ hash }) => hash))
  const used = new Set<ToldEvent>()
  const other = tellings
    .filter(({ hash }) => !hashes.includes(hash))
    .flatMap(({ event }) => {
      const counterpart = events.findLast(one => isAlike(one.event, event) && !made.has(toldHash(one.event)) && !used.has(one.event))
      if (counterpart !== undefined) used.add(counterpart.event)
      const place = { ...at, sequence: counterpart?.sequence ?? at.sequence, kind: event.kind }
      return event.type === 'prompt.traced'
        ? traced(place, (counterpart?.event as Traced | undefined) ?? null, event, text)
        : composed(place, (counterpart?.event as Composed | undefined) ?? null, event, templates, text)
    })
  const gone = events
    .filter(({ sequence, event }) => sequence >= since && !made.has(toldHash(event)) && !used.has(event))
    .map(
      ({ sequence, event }): Divergence => ({
        ...at,
        sequence,
        point: pointOf(event),
        kind: event.kind,
        expected: nameOf(event),
        found: null,
      }),
    )
  return [...other, ...gone]
}

const pointOf = ({ type }: ToldEvent) => (type === 'prompt.traced' ? 'agent.promptResolved' : 'prompt.composed')
const nameOf = (event: ToldEvent): string | null => (event.type === 'prompt.traced' ? event.resolved : event.ref)

const isAlike = (one: ToldEvent, other: ToldEvent): boolean =>
  one.type === other.type && one.kind === other.kind && (one.type !== 'prompt.traced' || one.slot === (other as Traced).slot)

function traced(place: Place & Pick<Divergence, 'kind'>, recorded: Traced | null, event: Traced, text: TextOf): readonly Divergence[] {
  const [was, is] = [traceIn(recorded, text), traceIn(event, text)]
  const layer = is.find((entry, index) => !isSame(entry, was[index]))?.layer ?? was.find((entry, index) => !isSame(entry, is[index]))?.layer
  const where = { ...place, point: 'agent.promptResolved' as const, ...(layer === undefined ? {} : { layer }) }
  if (recorded?.resolved !== event.resolved)
    return [{ ...where, field: 'resolved', expected: recorded?.resolved ?? null, found: event.resolved }]
  if (recorded.agentId !== event.agentId) return [{ ...where, field: 'agentId', expected: recorded.agentId, found: event.agentId }]
  const entryOf = (trace: readonly TraceEntry[]): Json => (trace.find(entry => entry.layer === layer) ?? null) as unknown as Json
  return [{ ...where, field: 'trace', expected: entryOf(was), found: entryOf(is) }]
}

const traceIn = (event: Traced | null, text: TextOf): readonly TraceEntry[] =>
  event === null ? [] : (JSON.parse(text(event.trace) ?? '[]') as readonly TraceEntry[])

function composed(
  place: Place & Pick<Divergence, 'kind'>,
  recorded: Composed | null,
  event: Composed,
  templates: readonly PromptTemplate[],
  text: TextOf,
): readonly Divergence[] {
  const { layer = null, block } = templates.find(({ ref, kind }) => ref === event.ref && kind === event.kind) ?? {}
  const where = {
    ...place,
    point: 'prompt.composed' as const,
    ...(layer === null ? {} : { layer }),
    ...(block === undefined ? {} : { block }),
    template: event.ref,
  }
  if (recorded === null || recorded.ref !== event.ref)
    return [{ ...where, field: 'ref', expected: recorded?.ref ?? null, found: event.ref }]
  const differences: Divergence[] = []
  if (recorded.template !== event.template)
    differences.push({ ...where, field: 'template', expected: recorded.template, found: event.template })
  for (const variable of new Set([...Object.keys(recorded.variableHashes), ...Object.keys(event.variableHashes)])) {
    const [was = null, is = null] = [recorded.variableHashes[variable], event.variableHashes[variable]]
    if (was !== is) differences.push({ ...where, variable, field: 'variableHashes', expected: was, found: is })
  }
  if (recorded.body !== event.body) differences.push({ ...where, field: 'templateHash', ...bodies(recorded.body, event.body, text) })
  if (recorded.contentTrust !== event.contentTrust)
    differences.push({ ...where, field: 'contentTrust', expected: recorded.contentTrust, found: event.contentTrust })
  if (differences.length === 0) differences.push({ ...where, field: 'values', expected: recorded.values, found: event.values })
  return differences
}

function bodies(was: Digest, is: Digest, text: TextOf): Pick<Divergence, 'span' | 'expected' | 'found'> {
  const [before, after] = [text(was), text(is)]
  if (before === null || after === null) return { expected: was, found: is }
  const { span, expected, found } = textDifference(before, after)
  return { span, expected, found }
}

const isSame = (one: unknown, other: unknown): boolean => other !== undefined && canonicalJson(one as Json) === canonicalJson(other as Json)
