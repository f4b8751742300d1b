// Caches the ids of objects between transactions, until another connection writes to the file. A commit mostly references existing objects.
import { type Digest, hexOf } from '../../core/digest/digest.ts'
import type { ObjectRow, Statements } from './statements.ts'

export const digestBlob = (digest: Digest): Uint8Array => Buffer.from(hexOf(digest), 'hex')

export interface KnownObject {
  readonly id: number
  readonly writtenAt: string
}

export interface KnownObjects {
  /** Null when the object is not there, or its bytes are gone. */
  get(tenant: string, digest: Digest): KnownObject | null
  set(tenant: string, digest: Digest, object: KnownObject): void
  /** After a rollback, a removal, or a write by another connection. */
  forget(): void
}

const MOST = 10_000

export function knownObjects(statements: Statements): KnownObjects {
  const known = new Map<string, KnownObject>()
  const keyOf = (tenant: string, digest: Digest): string => `${tenant}\0${digest}`
  const set = (tenant: string, digest: Digest, object: KnownObject): void => {
    if (known.size >= MOST) known.clear()
    known.set(keyOf(tenant, digest), object)
  }
  return {
    set,
    get(tenant, digest) {
      const remembered = known.get(keyOf(tenant, digest))
      if (remembered !== undefined) return remembered
      const row = statements.findObject.get(tenant, digestBlob(digest)) as unknown as ObjectRow | undefined
      if (row === undefined || row.size === null) return null
      const object = { id: row.id, writtenAt: row.written_at }
      set(tenant, digest, object)
      return object
    },
    forget: () => known.clear(),
  }
}
