// A recorded run in which one word or number is what a terminal would act on, one place at a time: of every event, and of every object that is JSON.
import { exportedStore } from '../../adapters/exported-run/exported-store.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import type { Store } from '../../ports.ts'
import { withHistory, withObject } from '../mutations/changed-store.ts'
import { askAll } from './ask-all.ts'
import { holdRun } from './changed-run.ts'

/** A title for the window, a line of its own, and the same with a control character of one byte. */
const ACTED_ON = '\u001b]0;owned\u0007\r\u009b2J'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const ACTS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

type Path = readonly string[]

/** The leaves of a value: terminal control text is appended to a text, and replaces a number. */
function leavesIn(value: Json, path: Path = []): readonly Path[] {
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([key, inner]) => leavesIn(inner, [...path, key]))
  return [path]
}

function hostileAt(value: Json, [key, ...rest]: Path): Json {
  if (key === undefined) return typeof value === 'string' ? `${value}${ACTED_ON}` : ACTED_ON
  const entries = Object.entries(value as object).map(([name, inner]) => [name, name === key ? hostileAt(inner, rest) : inner] as const)
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}

interface HostileRun {
  readonly name: string
  readonly store: Store
}

const ENVELOPE = ['type', 'at', 'actor', 'cause'] as const

function* hostileEvents(store: Store, stream: string, event: RecordedEvent): Iterable<HostileRun> {
  const { type, at, actor, cause, payload } = event
  const said = { type, at, actor, cause, payload }
  for (const path of [...ENVELOPE.map(name => [name]), ...leavesIn(payload).map(path => ['payload', ...path])]) {
    const changed = hostileAt(said, path) as unknown as RecordedEvent
    const change = (one: RecordedEvent): RecordedEvent => (one.seq === event.seq ? { ...one, ...changed } : one)
    yield { name: `${stream} ${event.seq} ${type} ${path.join('.')}`, store: withHistory(store, [stream], change) }
  }
}

function* hostileObject(store: Store, digest: Digest, text: string): Iterable<HostileRun> {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    yield { name: digest, store: withObject(store, digest, before => `${before}${ACTED_ON}`) }
    return
  }
  for (const path of leavesIn(value))
    yield { name: `${digest} ${path.join('.')}`, store: withObject(store, digest, () => JSON.stringify(hostileAt(value, path))) }
}

/** @param every one of so many: the first of them, and so on; the same for the same `from` */
export async function actedOnIn(path: string, every: number, from = 0): Promise<readonly string[]> {
  const { store, header } = await exportedStore(path)
  const { tenant, run: runId } = header
  const streams = header.streams.filter(one => one.tenant === tenant).map(({ stream }) => stream)
  const held = await holdRun(store, tenant, streams)
  const found: string[] = []
  let index = 0
  const ask = async (runs: Iterable<HostileRun>): Promise<void> => {
    for (const { name, store: hostile } of runs) {
      index += 1
      if (index % every !== from) continue
      for await (const { question, page } of askAll(hostile, tenant, runId, held.store)) {
        const at = page === null ? -1 : page.search(ACTS)
        if (at >= 0) found.push(`${name}\n  ${question}: ${JSON.stringify(page!.slice(Math.max(0, at - 60), at + 20))}`)
        if (page === null) found.push(`${name}\n  ${question}: no answer and no Fault`)
      }
    }
  }
  for (const [stream, events] of held.streams) for (const event of events) await ask(hostileEvents(held.store, stream, event))
  for (const digest of held.digests) {
    const bytes = await held.store.object(tenant, digest).catch(() => null)
    if (bytes !== null) await ask(hostileObject(held.store, digest, new TextDecoder().decode(bytes)))
  }
  await store.close()
  return found
}
