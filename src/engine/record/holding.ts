// Finds the objects of a run that contain a text: one input is in several of them, and an erasure has to reach them all.
import type { Digest } from '../../core/digest/digest.ts'
import { referencesIn } from '../../core/record/references.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { reachedFrom } from '../run-files/export-objects.ts'
import { runStreams } from '../run-files/run-streams.ts'

/** In order of digest. Finds the text itself and its JSON spelling, also in strings that hold JSON themselves. */
export async function objectsHolding(store: Store, tenant: string, runId: string, text: string): Promise<readonly Digest[]> {
  const { streams } = await runStreams(store, tenant, runId, false)
  const named = new Set<Digest>()
  for (const { stream, events, objects } of streams.filter(one => one.tenant === tenant && one.objects))
    for await (const { event } of store.read(tenant, stream, -1)) {
      if (!objects || event.seq >= events) break
      for (const digest of referencesIn(event.payload)) named.add(digest)
    }
  const spellings = spellingsOf(text).map(spelling => Buffer.from(spelling))
  const found: Digest[] = []
  for (const digest of await reachedFrom(store, tenant, named)) if (await holds(store, tenant, digest, spellings)) found.push(digest)
  return found.sort()
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
const spellingsOf = (text: string): readonly string[] => [...new Set([text, escaped(text), escaped(escaped(text))])]

async function holds(store: Store, tenant: string, digest: Digest, spellings: readonly Buffer[]): Promise<boolean> {
  try {
    const bytes = Buffer.from(await store.object(tenant, digest))
    return spellings.some(spelling => bytes.includes(spelling))
  } catch (error) {
    if (error instanceof Fault && error.code === 'object_missing') return false // erased before
    throw error
  }
}
