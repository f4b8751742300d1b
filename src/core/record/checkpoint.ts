// A checkpoint: a signed statement of how far streams had come. Its event sits in a stream of its own, so each is chained to the one before.
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import type { EventDraft, RecordedEvent, StreamHead } from './event.ts'

export const CHECKPOINTS = 'checkpoints'
export const CHECKPOINT_SIGNED = 'checkpoint.signed'

/** The key of a signature, and the signature of the statement's bytes. */
export interface Signature {
  readonly key: string
  /** base64url. */
  readonly signature: string
}

export interface SealedHead {
  readonly stream: string
  readonly seq: number
  readonly headHash: Digest
}

/** The signed content. `previousHash` is the digest of the checkpoint before, so one signature covers all of them. */
export interface Statement {
  readonly tenant: string
  readonly seq: number
  readonly previousHash: Digest | null
  readonly heads: readonly SealedHead[]
}

export interface Checkpoint {
  readonly statement: Statement
  readonly signature: Signature
}

/** The next statement in the stream of checkpoints, whose present head is `last`. */
export const nextStatement = (last: StreamHead, heads: readonly StreamHead[]): Statement => ({
  tenant: last.tenant,
  seq: last.seq + 1,
  previousHash: last.digest,
  heads: heads.flatMap(({ stream, seq, digest }) => (digest === null ? [] : [{ stream, seq, headHash: digest }])),
})

const encoder = new TextEncoder()
export const statementBytes = (statement: Statement): Uint8Array => encoder.encode(canonicalJson(statement as unknown as Json))

export const checkpointDraft = ({ heads }: Statement, { key, signature }: Signature, actor: string): EventDraft => ({
  type: CHECKPOINT_SIGNED,
  actor,
  payload: { heads: heads as unknown as Json, key, signature },
})

/** Null for an event that is not one. */
export function readCheckpoint({ type, tenant, seq, prev, payload }: RecordedEvent): Checkpoint | null {
  if (type !== CHECKPOINT_SIGNED || typeof payload !== 'object' || payload === null || Array.isArray(payload)) return null
  const { heads, key, signature } = payload as Record<string, unknown>
  if (!Array.isArray(heads) || !heads.every(isSealedHead) || typeof key !== 'string' || typeof signature !== 'string') return null
  return { statement: { tenant, seq, previousHash: prev, heads }, signature: { key, signature } }
}

function isSealedHead(value: unknown): value is SealedHead {
  if (typeof value !== 'object' || value === null) return false
  const { stream, seq, headHash } = value as Record<string, unknown>
  return typeof stream === 'string' && Number.isSafeInteger(seq) && typeof headHash === 'string'
}
