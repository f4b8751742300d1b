// A recorded run with one malformed event, chained again as a capable attacker would. The readers under test must cope with it.
import type { Digest, Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { emptyHead, type RecordedEvent, type StreamHead, writeEvent } from '../../core/record/event.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import type { Picking } from '../mutations/replay-mutations.ts'

/** It is read thousands of times. */
function inMemory(store: Store): Store {
  const objects = new Map<string, Promise<Uint8Array>>()
  const streams = new Map<string, Promise<readonly StoredEvent[]>>()
  const all = async (tenant: string, stream: string): Promise<readonly StoredEvent[]> => {
    const found: StoredEvent[] = []
    for await (const stored of store.read(tenant, stream, -1)) found.push(stored)
    return found
  }
  const kept = <T>(map: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> => {
    const known = map.get(key) ?? ask()
    map.set(key, known)
    return known
  }
  return {
    ...store,
    object: (tenant, digest) => kept(objects, JSON.stringify([tenant, digest]), () => store.object(tenant, digest)),
    async *read(tenant, stream, after) {
      for (const stored of await kept(streams, JSON.stringify([tenant, stream]), () => all(tenant, stream)))
        if (stored.event.seq > after) yield stored
    },
  }
}

export interface HeldRun {
  readonly store: Store
  readonly tenant: string
  readonly streams: ReadonlyMap<string, readonly RecordedEvent[]>
  readonly digests: readonly Digest[]
}

export async function holdRun(from: Store, tenant: string, names: readonly string[]): Promise<HeldRun> {
  const store = inMemory(from)
  const streams = new Map<string, readonly RecordedEvent[]>()
  const digests = new Set<Digest>()
  for (const name of names) {
    const events: RecordedEvent[] = []
    for await (const { event } of store.read(tenant, name, -1)) {
      events.push(event)
      for (const found of JSON.stringify(event.payload).match(/sha256:[0-9a-f]{64}/g) ?? []) digests.add(found as Digest)
    }
    streams.set(name, events)
  }
  return { store, tenant, streams, digests: [...digests] }
}

interface ChangedRun {
  readonly name: string
  readonly store: Store
}

const chosen = <T>(from: readonly T[], pick: Picking): T => from[pick(from.length)]!
type Path = readonly string[]

/** One change to one event of one stream. */
export function changedRun(run: HeldRun, pick: Picking): ChangedRun {
  const [stream, events] = chosen([...run.streams], pick)
  const at = pick(events.length)
  const [what, changed] = changedEvents(run, events, at, pick)
  return { name: `${stream} ${at} ${events[at]!.type}: ${what}`, store: storeWith(run, stream, changed) }
}

function changedEvents(run: HeldRun, events: readonly RecordedEvent[], at: number, pick: Picking): [string, readonly RecordedEvent[]] {
  const event = events[at]!
  switch (pick(12)) {
    case 0:
      return ['left out', events.toSpliced(at, 1)]
    case 1:
      return ['told twice', events.toSpliced(at, 0, event)]
    case 2: {
      const other = pick(events.length)
      return [`changes places with ${other}`, events.map((one, index) => (index === at ? events[other]! : index === other ? event : one))]
    }
    case 3: {
      const type = chosen([...events.map(one => one.type), 'nobody.knows', '__proto__'], pick)
      return [`is a ${type}`, events.with(at, { ...event, type })]
    }
    case 4: {
      const when = chosen(['', 'never', '9999-99-99', '-1'], pick)
      return [`is of ${when}`, events.with(at, { ...event, at: when })]
    }
    default: {
      const path = chosen([[], ...pathsIn(event.payload)], pick)
      const [what, payload] = changedAt(event.payload, path, anything(run, pick))
      return [`${path.join('.') || 'payload'} ${what}`, events.with(at, { ...event, payload })]
    }
  }
}

const GONE = Symbol('gone')
type Change = (before: Json) => Json | typeof GONE

function anything({ digests, streams }: HeldRun, pick: Picking): Change {
  const deep = Array.from({ length: 90 }).reduce<Json>(inner => [inner], 0)
  const values: readonly Json[] = [
    null,
    true,
    0,
    -1,
    0.5,
    1e308,
    2 ** 53,
    '',
    '__proto__',
    'constructor',
    'x'.repeat(5_000),
    '\u0000',
    '{{x}}',
    [],
    {},
    [null],
    [[]],
    [{}],
    { __proto__x: 1 },
    deep,
    chosen(digests, pick),
    `sha256:${'0'.repeat(64)}`,
    chosen([...streams.keys()], pick).replace(/^\w+\//, ''),
    [chosen(digests, pick)],
    { a: chosen(digests, pick) },
  ] // prettier-ignore
  const value = chosen(values, pick)
  const changes: readonly Change[] = [
    () => GONE,
    () => value,
    () => value,
    before => [before],
    before => ({ value: before }),
    before => (Array.isArray(before) ? [...before, ...before, value] : isObject(before) ? { ...before, more: value } : value),
    before => (isObject(before) ? JSON.parse(`{"__proto__":${JSON.stringify(before)}}`) : String(before)),
  ]
  return chosen(changes, pick)
}

function pathsIn(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])])
}

function changedAt(value: Json, [key, ...rest]: Path, change: Change): [string, Json] {
  if (key === undefined) {
    const changed = change(value)
    return changed === GONE ? ['is gone', {}] : [`is ${(JSON.stringify(changed) ?? '').slice(0, 60)}`, changed]
  }
  const inner = (value as { readonly [key: string]: Json })[key]!
  const changed = rest.length === 0 ? change(inner) : changedAt(inner, rest, change)[1]
  const entries = Object.entries(value as object).filter(([name]) => name !== key || changed !== GONE)
  const what = changed === GONE ? 'is gone' : rest.length > 0 ? '' : `is ${(JSON.stringify(changed) ?? '').slice(0, 60)}`
  if (Array.isArray(value)) return [what, entries.map(([name, one]) => (name === key ? (changed as Json) : (one as Json)))]
  return [what, Object.fromEntries(entries.map(([name, one]) => [name, name === key ? (changed as Json) : (one as Json)]))]
}

function storeWith({ store, tenant }: HeldRun, stream: string, events: readonly RecordedEvent[]): Store {
  let last: StreamHead = emptyHead(tenant, stream)
  const written: StoredEvent[] = []
  for (const { type, actor, cause, payload, at } of events) {
    const { event, bytes, head } = writeEvent(last, { type, actor, cause, payload }, at)
    written.push({ event, bytes })
    last = head
  }
  const isIt = (owner: string, name: string): boolean => owner === tenant && name === stream
  return {
    ...store,
    head: async (owner, name) => (isIt(owner, name) ? last : store.head(owner, name)),
    async *read(owner, name, after) {
      if (isIt(owner, name)) yield* written.slice(after + 1)
      else yield* store.read(owner, name, after)
    },
  }
}
