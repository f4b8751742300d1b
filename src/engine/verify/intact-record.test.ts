// An untouched record is intact, whatever was written to it.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fileKeyring } from '../../adapters/keys/file-keyring.ts'
import { signatureChecker } from '../../adapters/keys/public-keys.ts'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { scratchTables } from '../../adapters/sqlite-store/inspect/scratch-tables.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { type Digest, digestBytes, type Json } from '../../core/digest/digest.ts'
import type { Keyring, Store } from '../../ports.ts'
import { CONTRACT_PROJECTIONS } from '../../testing/contract/place.ts'
import { runs } from '../../testing/runs.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { eraseObject } from '../record/erase.ts'
import { sealStreams } from '../record/seal.ts'
import { readAnchors, writeAnchor } from './anchors.ts'
import { type Verified, verifyRecord } from './verify.ts'

type Doing =
  | { readonly kind: 'append'; readonly tenant: string; readonly stream: string; readonly entries: readonly Written[] }
  | { readonly kind: 'write'; readonly tenant: string; readonly object: number }
  | { readonly kind: 'erase'; readonly tenant: string; readonly object: number }
  | { readonly kind: 'seal'; readonly tenant: string }
  | { readonly kind: 'collect' | 'rotate' | 'rebuild' }

interface Written {
  readonly type: string
  readonly actor: string
  readonly n: number
  readonly text: string
  readonly objects: readonly number[]
}

const encode = (text: string) => new TextEncoder().encode(text)
const LEAVES = ['', 'a', 'b', 'x'.repeat(300_000)].map(encode)
const nodeOf = (links: readonly Uint8Array[]) => encode(JSON.stringify({ $node: 'any', links: links.map(digestBytes) }))
const FOLDER = nodeOf(LEAVES.slice(0, 2))
const BODIES = [...LEAVES, FOLDER, nodeOf([FOLDER, ...LEAVES.slice(2)])]
const anyTenant = fc.constantFrom('acme', 'zürich 😀', '\u{10000}', '\uffee')
const anyStream = fc.constantFrom('s', 'S', 's/1', "o'dd %_\\", '\u{10000}', '\uffee', 'audit', '日本')
const anyObject = fc.nat(BODIES.length - 1)
const anyEntry: fc.Arbitrary<Written> = fc.record({
  type: fc.constantFrom('thing.happened', 'thing.undone', 'thing.listed', 'other.happened'),
  actor: fc.constantFrom('ada', 'bob', 'é😀'),
  n: fc.oneof(fc.integer({ min: -3, max: 5 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
  text: fc.string({ unit: 'grapheme', maxLength: 6 }),
  objects: fc.array(anyObject, { maxLength: 3 }),
})
const anyDoing: fc.Arbitrary<Doing> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      tenant: anyTenant,
      stream: anyStream,
      entries: fc.array(anyEntry, { maxLength: 4 }),
    }),
  },
  fc.record({ kind: fc.constantFrom('write' as const, 'erase' as const), tenant: anyTenant, object: anyObject }),
  fc.record({ kind: fc.constant('seal' as const), tenant: anyTenant }),
  fc.record({ kind: fc.constantFrom('collect' as const, 'rotate' as const, 'rebuild' as const) }),
)

const payloadOf = ({ n, text, objects }: Written): Json => {
  const digests = objects.map(object => digestBytes(BODIES[object]!))
  return { n, body: digests[0] ?? text, all: [{ who: text, n }, ...digests], seenHashes: digests }
}

const unlessMissing = (error: unknown) => {
  if ((error as { code?: string }).code !== 'object_missing') throw error
}

async function perform(store: Store, keyring: Keyring, doing: Doing): Promise<void> {
  switch (doing.kind) {
    case 'append': {
      const { tenant, stream, entries } = doing
      const { seq } = await store.head(tenant, stream)
      // Nodes come last, with everything that they reference.
      const objects = entries.flatMap(entry => BODIES.slice(0, Math.max(-1, ...entry.objects) + 1))
      const drafts = entries.map(entry => ({ type: entry.type, actor: entry.actor, payload: payloadOf(entry) }))
      await store.commit({ tenant, objects, appends: [{ stream, expected: seq, entries: drafts }] })
      return
    }
    case 'write':
      await store.writeObject(doing.tenant, [BODIES[doing.object]!]).catch(unlessMissing)
      return
    case 'erase': {
      const erasure = { tenant: doing.tenant, digest: digestBytes(BODIES[doing.object]!) as Digest, actor: 'eve', why: 'so' }
      await eraseObject(store, erasure).catch(unlessMissing)
      return
    }
    case 'seal':
      await sealStreams(store, keyring, doing.tenant)
      return
    case 'collect':
      await store.collect('2100-01-01T00:00:00.000Z')
      return
    case 'rotate':
      await keyring.rotate('sign')
      return
    case 'rebuild':
      await store.rebuild()
  }
}

/** Twice: before and after everything is sealed, the second time with an anchor. */
async function verifyAll(store: Store, keyring: Keyring): Promise<readonly Verified[]> {
  const verify = async (anchor: string) => {
    const check = signatureChecker(await keyring.publicKeys())
    const anchors = anchor === '' ? [] : readAnchors('anchor', anchor, check)
    const [inspection, scratch] = [await store.inspect(), scratchTables(store.projections)]
    const verified = await verifyRecord(inspection, { projections: store.projections, scratch, check, anchors })
    scratch.close()
    await inspection.close()
    return verified
  }
  return [await verify(''), await verify((await writeAnchor(store, keyring)).text)]
}

const stores: Readonly<Record<string, { readonly all: number; readonly open: () => Store }>> = {
  SQLite: { all: 40, open: () => sqliteStore(freshPath(), clock, CONTRACT_PROJECTIONS) },
  memory: { all: 40, open: () => memoryStore(clock, CONTRACT_PROJECTIONS) },
}

it.each(Object.entries(stores))('is intact in %s, with any history', async (_, { all, open }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyDoing, { maxLength: 25, size: 'max' }), async doings => {
      const store = open()
      const keyring = fileKeyring(`${freshPath()}.keys`, clock)
      for (const doing of doings) await perform(store, keyring, doing)
      const [before, after] = await verifyAll(store, keyring)
      await store.close()
      expect([before!.breaks, after!.breaks]).toEqual([[], []])
      expect([before!.intact, after!.intact, after!.unsealed]).toEqual([true, true, 0])
    }),
    { numRuns: runs(all) },
  )
})
