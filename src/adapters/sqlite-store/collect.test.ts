// After a collection exactly the reachable objects are left, for any references between them, as a small model computes.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { AUDIT, erasureDraft } from '../../core/record/erasure.ts'
import { collectObjects } from '../../engine/record/erase.ts'
import { verifyRecord } from '../../engine/verify/verify.ts'
import type { Clock, Store } from '../../ports.ts'
import { freshPath } from '../../testing/stores/sqlite-place.ts'
import { memoryStore } from '../memory-store/memory-store.ts'
import { scratchTables } from './inspect/scratch-tables.ts'
import { sqliteStore } from './sqlite-store.ts'

interface Thing {
  /** Earlier objects that it references. */
  readonly links: readonly number[]
  readonly isYoung: boolean
  readonly isSpokenOf: boolean
  readonly isErased: boolean
}

const anyThing = (index: number): fc.Arbitrary<Thing> =>
  fc.record({
    links: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(index - 1), { maxLength: 4 }),
    isYoung: fc.boolean().chain(young => (young ? fc.boolean() : fc.constant(false))),
    isSpokenOf: fc.nat(5).map(n => n === 0),
    isErased: fc.nat(7).map(n => n === 0),
  })
const anyThings = fc.nat(30).chain(length => fc.tuple(...Array.from({ length }, (_, index) => anyThing(index)))) as fc.Arbitrary<Thing[]>

const bytesOf = (things: readonly Thing[]): readonly Uint8Array[] => {
  const made: Uint8Array[] = []
  for (const [n, { links }] of things.entries()) {
    const value = links.length === 0 ? { n } : { $node: 'any', n, links: links.map(link => digestBytes(made[link]!)) }
    made.push(new TextEncoder().encode(JSON.stringify(value)))
  }
  return made
}

async function fill(store: Store, setTime: (at: string) => void, things: readonly Thing[], bytes: readonly Uint8Array[]): Promise<void> {
  const those = (isOne: (thing: Thing) => boolean) => bytes.filter((_, index) => isOne(things[index]!))
  await Promise.all(bytes.map(object => store.commit({ tenant: 'acme', objects: [object] })))
  setTime('2026-02-01T00:00:00.000Z')
  await store.commit({ tenant: 'acme', objects: those(({ isYoung }) => isYoung) })
  const payload = those(({ isSpokenOf }) => isSpokenOf).map(digestBytes)
  await store.commit({ tenant: 'acme', appends: [{ stream: 's', expected: -1, entries: [{ type: 'a.b', actor: 'x', payload }] }] })
  const erase = those(({ isErased }) => isErased).map(digestBytes)
  const entries = erase.map(digest => erasureDraft(digest, 'x', 'so'))
  await store.commit({ tenant: 'acme', erase, appends: [{ stream: AUDIT, expected: -1, entries }] })
}

function reachable(things: readonly Thing[]): ReadonlySet<number> {
  const reached = new Set([...things.keys()].filter(index => things[index]!.isSpokenOf || things[index]!.isYoung))
  for (const index of reached) if (!things[index]!.isErased) for (const link of things[index]!.links) reached.add(link)
  return reached
}

const isThere = (store: Store, digest: Digest) => store.object('acme', digest).then(Boolean, () => false)

async function breaksOf(store: Store) {
  const [inspection, scratch] = [await store.inspect(), scratchTables(store.projections)]
  const { breaks } = await verifyRecord(inspection, { projections: store.projections, scratch, check: null })
  scratch.close()
  await inspection.close()
  return breaks
}

const stores: Readonly<Record<string, (clock: Clock) => Store>> = { memory: memoryStore, SQLite: clock => sqliteStore(freshPath(), clock) }

it.each(Object.entries(stores))('leaves in %s what can be reached, and nothing else', async (_, open) => {
  await fc.assert(
    fc.asyncProperty(anyThings, async things => {
      let now = '2026-01-01T00:00:00.000Z'
      const store = open(() => now)
      const bytes = bytesOf(things)
      await fill(store, at => (now = at), things, bytes)
      const kept = reachable(things)
      const isLeft = (index: number) => kept.has(index) && !things[index]!.isErased
      const dropped = await collectObjects(store, () => '2026-02-01T12:00:00.000Z')
      const left = await Promise.all(bytes.map(object => isThere(store, digestBytes(object))))
      expect(left).toEqual(things.map((_, index) => isLeft(index)))
      expect(dropped).toBe(things.filter((thing, index) => !thing.isErased && !kept.has(index)).length)
      expect(await breaksOf(store)).toEqual([])
      await store.close()
    }),
    { numRuns: 30 },
  )
})
