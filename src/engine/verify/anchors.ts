// An anchor: a copy of the last checkpoint of each tenant, kept where whoever can change the store cannot reach. One event a line.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { CHECKPOINTS, type Checkpoint, readCheckpoint, statementBytes } from '../../core/record/checkpoint.ts'
import { decodeEvent } from '../../core/record/event.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature, Keyring, Store } from '../../ports.ts'
import { sealStreams } from '../seal.ts'

export interface Anchor {
  readonly tenant: string
  readonly seq: number
  readonly digest: Digest
  /** Null when the key is not known. */
  readonly genuine: boolean | null
}

/** Seals what is not sealed yet, then copies. */
export async function writeAnchor(store: Store, keyring: Keyring): Promise<string> {
  const lines: string[] = []
  for (const tenant of await store.tenants()) {
    await sealStreams(store, keyring, tenant)
    const { seq } = await store.head(tenant, CHECKPOINTS)
    for await (const { bytes } of store.read(tenant, CHECKPOINTS, seq - 1)) {
      lines.push(new TextDecoder().decode(bytes))
      break
    }
  }
  return lines.map(line => `${line}\n`).join('')
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
      genuine: isGenuine(checkpoint, check),
    }
  })
}

/** Null when the key is not known. What canonical JSON cannot say, nobody has signed. */
export function isGenuine({ statement, signature }: Checkpoint, check: CheckSignature): boolean | null {
  let bytes: Uint8Array
  try {
    bytes = statementBytes(statement)
  } catch {
    return false
  }
  return check(bytes, signature)
}
