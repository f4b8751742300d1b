// Makes checkpoints: on demand, on a schedule, and when a host goes down.
import { HOST_ACTOR } from '../core/access/keys.ts'
import { CHECKPOINTS, checkpointDraft, nextStatement, statementBytes } from '../core/record/checkpoint.ts'
import { Fault } from '../errors.ts'
import type { Keyring, Store } from '../ports.ts'
import { type KeptDoing, keepDoing } from './keep-doing.ts'

/** Streams in one checkpoint: a signature is cheap, and an event must stay small. */
const MOST_HEADS = 1_000

/** Signs every stream that has moved since the last checkpoint; how many there were. */
export async function sealStreams(store: Store, keyring: Keyring, tenant: string): Promise<number> {
  let sealed = 0
  for (;;) {
    const heads = await store.unsealed(tenant, MOST_HEADS)
    if (heads.length === 0) return sealed
    const last = await store.head(tenant, CHECKPOINTS)
    const statement = nextStatement(last, heads)
    const draft = checkpointDraft(statement, await keyring.sign(statementBytes(statement)), HOST_ACTOR)
    try {
      await store.commit({ tenant, appends: [{ stream: CHECKPOINTS, expected: last.seq, entries: [draft] }] })
      sealed += heads.length
    } catch (error) {
      // Another process made a checkpoint meanwhile: what is left to sign is asked again.
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
    if (heads.length < MOST_HEADS) return sealed
  }
}

export async function sealStore(store: Store, keyring: Keyring): Promise<number> {
  let sealed = 0
  for (const tenant of await store.tenants()) sealed += await sealStreams(store, keyring, tenant)
  return sealed
}

export type Sealing = KeptDoing

/** Makes a checkpoint every so often, and a last one when it is stopped. */
export function keepSealing(store: Store, keyring: Keyring, everyMs: number, failed: (error: unknown) => void): Sealing {
  const seal = () => sealStore(store, keyring)
  const kept = keepDoing(seal, everyMs, failed)
  return {
    async stop() {
      await kept.stop()
      await seal()
    },
  }
}
