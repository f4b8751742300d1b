// An anchor: a copy of each tenant's last checkpoint, kept out of reach of everybody who can change the store. One event a line.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { CHECKPOINTS, type Checkpoint, readCheckpoint, type SealedHead, statementBytes } from '../../core/record/checkpoint.ts'
import { decodeEvent } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature, Keyring, SignedHeads, Store } from '../../ports.ts'
import { type RefusedStream, sealer } from '../record/seal.ts'

export interface Anchor {
  readonly tenant: string
  readonly seq: number
  readonly digest: Digest
  /** The heads that it signs. */
  readonly heads: readonly SealedHead[]
  /** Null when the key is not known. */
  readonly genuine: boolean | null
}

export interface WrittenAnchor {
  readonly text: string
  /** Streams that were not signed, because they were rewritten after they had been signed. */
  readonly refused: readonly RefusedStream[]
}

/** Seals unsealed events first, then copies. */
export async function writeAnchor(store: Store, keyring: Keyring, signed?: SignedHeads): Promise<WrittenAnchor> {
  const { refused } = await sealer(store, keyring, signed).seal()
  const lines: string[] = []
  for (const tenant of await store.tenants()) {
    const { seq } = await store.head(tenant, CHECKPOINTS)
    for await (const { bytes } of store.read(tenant, CHECKPOINTS, seq - 1)) {
      lines.push(new TextDecoder().decode(bytes))
      break
    }
  }
  return { text: lines.map(line => `${line}\n`).join(''), refused }
}

export function readAnchors(path: string, text: string, check: CheckSignature): readonly Anchor[] {
  const lines = text.split('\n').filter(line => line !== '')
  if (lines.length === 0) throw new Fault('file_unreadable', { path, reason: 'it holds no anchor' })
  return lines.map((line, index) => {
    const bytes = new TextEncoder().encode(line)
    const event = decodeEvent(bytes)
    const checkpoint = event && readCheckpoint(event)
    if (event === null || checkpoint === null) throw new Fault('file_unreadable', { path, reason: `line ${index + 1} is not an anchor` })
    return {
      tenant: event.tenant,
      seq: event.seq,
      digest: digestBytes(bytes),
      heads: checkpoint.statement.heads,
      genuine: isGenuine(checkpoint, check),
    }
  })
}

/** Null when the key is not known. A statement that canonical JSON cannot express was never signed. */
export function isGenuine({ statement, signature }: Checkpoint, check: CheckSignature): boolean | null {
  let bytes: Uint8Array
  try {
    bytes = statementBytes(statement)
  } catch {
    return false
  }
  return check(bytes, signature)
}
