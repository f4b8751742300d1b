// Folder: Checkpoints, erasure and export of a record.
// Makes checkpoints: on demand, on a schedule, and when a host goes down. Signs a head only if it descends from the head signed before.
import { HOST_ACTOR } from '../../core/access/keys.ts'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { CHECKPOINTS, checkpointDraft, nextStatement, readCheckpoint, statementBytes } from '../../core/record/checkpoint.ts'
import { emptyHead, readEvent, type StreamHead } from '../../core/record/event.ts'
import type { BreakCode } from '../../core/record/walk.ts'
import { Fault } from '../../errors.ts'
import type { Keyring, SignedHead, SignedHeads, Store } from '../../ports.ts'
import { type Interval, startInterval } from '../work/interval.ts'

/** Streams in one checkpoint: a signature is cheap, and an event must stay small. */
const MOST_HEADS = 1_000
/** The interval of full passes, which compare each stream with the checkpoints. In between, the store names the streams that have moved. */
const FULL_EVERY = 60

/** A stream that was not signed, because it does not continue its signed head. */
export interface RefusedStream {
  readonly tenant: string
  readonly stream: string
  /** Where the last signed head was. */
  readonly sequence: number
  readonly code: BreakCode
}

export interface SealResult {
  /** How many streams were signed. */
  readonly sealed: number
  readonly refused: readonly RefusedStream[]
}

export interface Sealer {
  seal(): Promise<SealResult>
  sealTenant(tenant: string): Promise<SealResult>
}

/**
 * @param signed stores the heads that this sealer found signed, outside the record: anybody who can write the file can change its tables
 */
export function sealer(store: Store, keyring: Keyring, signed: SignedHeads = signedHeadsInMemory()): Sealer {
  const positions = new Map<string, StreamHead>()
  let passes = 0

  /** Reads the checkpoints that are new here. The chain and the signature of the last one cover all of them. Null when they hold. */
  const catchUp = async (tenant: string): Promise<RefusedStream | null> => {
    let at = positions.get(tenant) ?? emptyHead(tenant, CHECKPOINTS)
    const refuse = (code: BreakCode): RefusedStream => ({ tenant, stream: CHECKPOINTS, sequence: at.seq + 1, code })
    const head = await store.head(tenant, CHECKPOINTS)
    if (head.seq < at.seq) return refuse('checkpoint_ahead')
    let last: ReturnType<typeof readCheckpoint> = null
    try {
      for await (const { event, bytes } of store.read(tenant, CHECKPOINTS, at.seq)) {
        const read = readEvent(at, bytes)
        last = readCheckpoint(event)
        if (!read.ok || last === null) return refuse(read.ok ? 'checkpoint_forged' : read.fault)
        at = read.head
        for (const { stream, seq, headHash } of last.statement.heads) signed.set(tenant, stream, { seq, digest: headHash })
      }
    } catch (error) {
      if (error instanceof Fault && error.code === 'event_corrupt') return refuse('event_unreadable')
      throw error
    }
    if (at.seq < head.seq || (at.seq === head.seq && at.digest !== head.digest)) return refuse('chain_broken')
    if (last !== null && (await keyring.checkSignature(statementBytes(last.statement), last.signature)) === false)
      return refuse('checkpoint_forged')
    positions.set(tenant, at)
    return null
  }

  /** Throws `stream_moved` never: another process that made a checkpoint meanwhile is read, and the rest signed. */
  const sign = async (tenant: string, due: readonly StreamHead[]): Promise<number> => {
    for (;;) {
      const heads = due.filter(({ stream, seq }) => (signed.get(tenant, stream)?.seq ?? -1) < seq)
      if (heads.length === 0) return 0
      const last = positions.get(tenant)!
      const statement = nextStatement(last, heads)
      const draft = checkpointDraft(statement, await keyring.sign(statementBytes(statement)), HOST_ACTOR)
      try {
        const written = await store.commit({ tenant, appends: [{ stream: CHECKPOINTS, expected: last.seq, entries: [draft] }] })
        positions.set(tenant, written.heads[0]!)
        for (const { stream, seq, digest } of heads) signed.set(tenant, stream, { seq, digest: digest! })
        return heads.length
      } catch (error) {
        if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
        if ((await catchUp(tenant)) !== null) return 0 // the next pass reports it
      }
    }
  }

  const sealTenant = async (tenant: string, isFull = true): Promise<SealResult> => {
    const unfit = await catchUp(tenant)
    if (unfit !== null) return { sealed: 0, refused: [unfit] }
    const refused: RefusedStream[] = []
    const due: StreamHead[] = []
    let sealed = 0
    for await (const head of isFull ? store.streams(tenant) : unsealedStreams(store, tenant)) {
      const before = signed.get(tenant, head.stream)
      if (head.stream === CHECKPOINTS || (before?.seq === head.seq && before.digest === head.digest)) continue
      const code = before === null ? null : await flawSince(store, head, before)
      if (code !== null) refused.push({ tenant, stream: head.stream, sequence: before?.seq ?? 0, code })
      else if (due.push(head) === MOST_HEADS) sealed += await sign(tenant, due.splice(0))
    }
    return { sealed: sealed + (await sign(tenant, due)), refused }
  }

  return {
    sealTenant: tenant => sealTenant(tenant),
    async seal() {
      const isFull = passes++ % FULL_EVERY === 0
      let [sealed, refused]: [number, readonly RefusedStream[]] = [0, []]
      for (const tenant of await store.tenants()) {
        const done = await sealTenant(tenant, isFull || !positions.has(tenant))
        ;[sealed, refused] = [sealed + done.sealed, [...refused, ...done.refused]]
      }
      return { sealed, refused }
    },
  }
}

async function* unsealedStreams(store: Store, tenant: string): AsyncIterable<StreamHead> {
  for (let after = ''; ; ) {
    const heads = await store.unsealed(tenant, MOST_HEADS, after)
    yield* heads
    if (heads.length < MOST_HEADS) return
    after = heads.at(-1)!.stream
  }
}

function signedHeadsInMemory(): SignedHeads {
  const heads = new Map<string, NonNullable<ReturnType<SignedHeads['get']>>>()
  const keyOf = (tenant: string, stream: string): string => JSON.stringify([tenant, stream])
  return {
    get: (tenant, stream) => heads.get(keyOf(tenant, stream)) ?? null,
    set: (tenant, stream, head) => void heads.set(keyOf(tenant, stream), head),
  }
}

/** Signs every stream of a tenant that has moved since the last checkpoint. */
export const sealStreams = (store: Store, keyring: Keyring, tenant: string): Promise<SealResult> =>
  sealer(store, keyring).sealTenant(tenant)

export const sealStore = (store: Store, keyring: Keyring, signed?: SignedHeads): Promise<SealResult> =>
  sealer(store, keyring, signed).seal()

export type Sealing = Interval

export interface SealingLog {
  /** A pass did not come to its end. */
  failed(error: unknown): void
  /** Called once for each stream: it is not signed again by this process. */
  refused(stream: RefusedStream): void
}

/** Makes a checkpoint every so often, and a last one when it is stopped. */
export function keepSealing(store: Store, keyring: Keyring, everyMs: number, log: SealingLog, signed?: SignedHeads): Sealing {
  const reported = new Set<string>()
  const { seal } = sealer(store, keyring, signed)
  const sealAndReport = async (): Promise<void> => {
    for (const found of (await seal()).refused) {
      const name = JSON.stringify([found.tenant, found.stream])
      if (!reported.has(name)) log.refused(found)
      reported.add(name)
    }
  }
  const kept = startInterval(sealAndReport, everyMs, error => log.failed(error))
  return {
    async stop() {
      await kept.stop()
      await sealAndReport()
    },
  }
}

/** Null when the events from the signed one up to `head` are one chain. */
async function flawSince(store: Store, head: StreamHead, signed: SignedHead): Promise<BreakCode | null> {
  if (head.seq < signed.seq) return 'checkpoint_ahead'
  try {
    return await walkFrom(store, head, signed)
  } catch (error) {
    if (error instanceof Fault && error.code === 'event_corrupt') return 'event_unreadable'
    throw error
  }
}

async function walkFrom(store: Store, { tenant, stream, seq: end, digest }: StreamHead, signed: SignedHead): Promise<BreakCode | null> {
  let at: StreamHead | null = null
  for await (const { event, bytes } of store.read(tenant, stream, signed.seq - 1)) {
    if (at === null) {
      if (event.seq !== signed.seq || digestBytes(bytes) !== signed.digest) return 'checkpoint_differs'
      at = { tenant, stream, seq: signed.seq, digest: signed.digest as Digest }
    } else {
      const read = readEvent(at, bytes)
      if (!read.ok) return read.fault
      at = read.head
    }
    // Events after `end` were written meanwhile.
    if (at.seq === end) return at.digest === digest ? null : 'chain_broken'
  }
  return 'sequence_broken'
}
