// Stores objects: small ones whole, big ones in chunks. Every read is checked against the digest.
import { createHash } from 'node:crypto'
import { type Digest, digestBytes, digestOfHex, isDigest } from '../../core/digest/digest.ts'
import { beginsAsNode, MOST_NODE_BYTES } from '../../core/record/references.ts'
import { Fault } from '../../errors.ts'
import { collectUnreferenced } from './collect.ts'
import type { Database } from './database.ts'
import { faultOf, guarded } from './faults.ts'
import { CHUNK } from './incoming.ts'
import { digestBlob, type KnownObjects, knownObjects } from './known-objects.ts'
import type { ObjectRow, Statements } from './statements.ts'
import { transactionWhenFree } from './when-free.ts'

/** Writing again refreshes the age, though not more often than this: it means writing the row again. */
const REFRESH_MS = 3_600_000

export interface Objects extends Pick<KnownObjects, 'forget'> {
  /** Null when the object is not there, or its bytes are gone. */
  idOf(tenant: string, digest: Digest): number | null
  /** The object's id. Within a transaction of the caller's. */
  write(tenant: string, digest: Digest, bytes: Uint8Array, at: string): number
  erase(id: number): void
  read(tenant: string, digest: Digest): Uint8Array
  /** In pieces, unchecked; null for a missing object. */
  chunks(tenant: string, digest: string): Iterable<Uint8Array> | null
  stream(tenant: string, digest: Digest): Iterable<Uint8Array>
  /** @param pieces of one size, but for the last */
  writeStream(tenant: string, pieces: AsyncIterable<Uint8Array>, at: () => string): Promise<Digest>
  collect(writtenBefore: string): Promise<number>
}

export function objectsOf(database: Database, statements: Statements): Objects {
  const { file: path } = database.prepare('PRAGMA database_list').get() as { file: string }
  const known = knownObjects(statements)

  /** Adds the row, or fills one whose bytes were erased; the caller puts the chunks of a big one in place. */
  const place = (tenant: string, digest: Digest, size: number, bytes: Uint8Array | null, at: string): { id: number; added: boolean } => {
    const found = known.get(tenant, digest)
    if (found !== null) {
      const isOld = Date.parse(at) - Date.parse(found.writtenAt) > REFRESH_MS
      if (isOld) statements.touchObject.run(at, found.id)
      if (isOld) known.set(tenant, digest, { id: found.id, writtenAt: at })
      return { id: found.id, added: false }
    }
    const { id } = statements.putObject.get(tenant, digestBlob(digest), at, size, bytes) as { id: number }
    known.set(tenant, digest, { id, writtenAt: at })
    return { id, added: true }
  }

  const dropUpload = (id: number): void => {
    statements.dropChunks.run(-id)
    statements.dropUpload.run(id)
  }

  /** Where the disk refuses even this, a later collection drops it. */
  const dropFailed = async (id: number): Promise<void> => {
    try {
      await transactionWhenFree(database, () => dropUpload(id))
    } catch {
      // The caller gets the first error.
    }
  }

  const chunks = (tenant: string, digest: string): Iterable<Uint8Array> | null => {
    if (!isDigest(digest)) return null
    const row = guarded(path, () => statements.object.get(tenant, digestBlob(digest))) as unknown as ObjectRow | undefined
    if (row === undefined || row.size === null) return null
    return row.bytes ? [row.bytes] : pieces(path, statements, row.id)
  }

  const stream = function* (tenant: string, digest: Digest): Iterable<Uint8Array> {
    const found = chunks(tenant, digest)
    if (found === null) throw new Fault('object_missing', { digest })
    const hash = createHash('sha256')
    for (const piece of found) {
      hash.update(piece)
      yield piece
    }
    checkName(digest, digestOfHex(hash.digest('hex')))
  }

  return {
    idOf: (tenant, digest) => known.get(tenant, digest)?.id ?? null,
    forget: known.forget,
    chunks,
    stream,
    write(tenant, digest, bytes, at) {
      if (bytes.length <= CHUNK) return place(tenant, digest, bytes.length, bytes, at).id
      const { id, added } = place(tenant, digest, bytes.length, null, at)
      if (added) for (let n = 0; n * CHUNK < bytes.length; n++) statements.addChunk.run(id, n, bytes.subarray(n * CHUNK, (n + 1) * CHUNK))
      return id
    },
    erase(id) {
      statements.dropLinks.run(id)
      statements.dropChunks.run(id)
      statements.emptyObject.run(id)
      known.forget()
    },
    read(tenant, digest) {
      const found = chunks(tenant, digest)
      if (found === null) throw new Fault('object_missing', { digest })
      const bytes = Array.isArray(found) ? (found[0] as Uint8Array) : new Uint8Array(Buffer.concat([...found]))
      checkName(digest, digestBytes(bytes))
      return bytes
    },
    async writeStream(tenant, given, at) {
      // Its chunks have a negative id until the object has a digest. A later collection drops those that a crash leaves.
      const upload = await transactionWhenFree(database, () => (statements.addUpload.get(at()) as { id: number }).id).catch(error => {
        throw faultOf(path, error)
      })
      const hash = createHash('sha256')
      let size = 0
      let count = 0
      try {
        for await (const piece of given) {
          hash.update(piece)
          size += piece.length
          const n = count++
          await transactionWhenFree(database, () => statements.addChunk.run(-upload, n, piece))
        }
        const digest = digestOfHex(hash.digest('hex'))
        return await transactionWhenFree(database, () => {
          const small = size <= CHUNK
          const bytes = small ? (statements.chunk.get(-upload, 0) as { bytes: Uint8Array }).bytes : null
          const { id, added } = place(tenant, digest, size, bytes, at())
          if (!small && added) statements.moveChunks.run(id, -upload)
          dropUpload(upload)
          return digest
        })
      } catch (error) {
        known.forget()
        await dropFailed(upload)
        throw faultOf(path, error)
      }
    },
    async collect(writtenBefore) {
      const before = new Date(Date.parse(writtenBefore) - REFRESH_MS).toISOString()
      try {
        await transactionWhenFree(database, () => {
          for (const { id } of statements.oldUploads.all(before) as unknown as { id: number }[]) dropUpload(id)
        })
        return await collectUnreferenced(database, statements, before, known.forget)
      } catch (error) {
        throw faultOf(path, error)
      }
    },
  }
}

function checkName(digest: Digest, found: Digest): void {
  if (found !== digest) throw new Fault('object_corrupt', { digest, found })
}

function* pieces(path: string, statements: Statements, id: number): Iterable<Uint8Array> {
  for (let n = 0; ; n++) {
    const row = guarded(path, () => statements.chunk.get(id, n)) as { bytes: Uint8Array } | undefined
    if (row === undefined) return
    yield row.bytes
  }
}

/** The name that the chunks of an object have now; and its bytes, as far as it may be a node. */
export function readChunks(path: string, statements: Statements, id: number): { found: Digest; node: Uint8Array | null; length: number } {
  const hash = createHash('sha256')
  const held: Uint8Array[] = []
  let size = 0
  for (const piece of pieces(path, statements, id)) {
    if (!(piece instanceof Uint8Array)) continue
    hash.update(piece)
    if (size <= MOST_NODE_BYTES && (size === 0 ? beginsAsNode(piece) : held.length > 0)) held.push(piece)
    size += piece.length
  }
  const node = held.length === 0 || size > MOST_NODE_BYTES ? null : new Uint8Array(Buffer.concat(held))
  return { found: digestOfHex(hash.digest('hex')), node, length: size }
}
