// A record with a change, renamed as if the change had been there from the start: every object that references a changed one has another digest too.
import { type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { withHistory } from './changed-store.ts'

const NAMES = /sha256:[0-9a-f]{64}/g

/** @param streams whose events are named anew */
export async function honestStore(store: Store, tenant: string, streams: readonly string[]): Promise<Store> {
  const names = new Map<string, Digest>()
  const made = new Map<Digest, Uint8Array>()

  async function nameOf(name: Digest): Promise<Digest> {
    const known = names.get(name)
    if (known !== undefined) return known
    names.set(name, name)
    const bytes = await store.object(tenant, name).catch((error: unknown) => {
      if (error instanceof Fault) return null
      throw error
    })
    if (bytes === null) return name
    const text = await renamed(new TextDecoder().decode(bytes))
    const found = digestText(text)
    names.set(name, found)
    made.set(found, new TextEncoder().encode(text))
    return found
  }

  async function renamed(text: string): Promise<string> {
    for (const [name] of text.matchAll(NAMES)) await nameOf(name as Digest)
    return text.replaceAll(NAMES, name => names.get(name) ?? name)
  }

  const payloads = new Map<string, Json>()
  for (const stream of streams)
    for await (const { event } of store.read(tenant, stream, -1))
      payloads.set(`${stream} ${event.seq}`, JSON.parse(await renamed(JSON.stringify(event.payload))) as Json)
  const change = (event: RecordedEvent): RecordedEvent => ({ ...event, payload: payloads.get(`${event.stream} ${event.seq}`)! })
  return {
    ...withHistory(store, streams, change),
    object: async (owner, name) => (owner === tenant ? made.get(name) : undefined) ?? store.object(owner, name),
  }
}
