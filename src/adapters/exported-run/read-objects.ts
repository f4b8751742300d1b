// Reads the objects of a run file: whole, under their right digests, each once, and exactly those that are referenced.
import { createHash, type Hash } from 'node:crypto'
import type { Digest } from '../../core/digest/digest.ts'
import { linksIn, mayBecomeNode } from '../../core/record/references.ts'
import { readObjectLine } from '../../core/record/run-file.ts'
import type { BreakCode } from '../../core/record/walk.ts'
import type { Place } from './lines.ts'
import type { FileBreak, TextLine } from './read-run-file.ts'

/** Its pieces; null for one that was erased. */
export type FiledObjects = ReadonlyMap<Digest, readonly Place[] | null>

export interface ObjectReader {
  /** An event says this name. */
  speak(digest: Digest, stream: string, seq: number): void
  read(line: TextLine): void
  end(): FiledObjects
}

interface Open {
  readonly digest: Digest
  readonly places: Place[]
  readonly hash: Hash
  /** The beginning of an object that may become a node. */
  start: Buffer | null
}

export function objectReader(tenant: string, report: (found: FileBreak) => void): ObjectReader {
  const spoken = new Map<Digest, { readonly stream: string; readonly sequence: number } | null>()
  const objects = new Map<Digest, readonly Place[] | null>()
  const links = new Map<Digest, readonly Digest[]>()
  let open: Open | null = null
  let last = ''

  const tell = (digest: Digest, code: BreakCode): void => report({ tenant, ...(spoken.get(digest) ?? { stream: null }), digest, code })

  const close = ({ digest, places, hash, start }: Open): void => {
    objects.set(digest, places)
    if (`sha256:${hash.digest('hex')}` !== digest) return tell(digest, 'object_corrupt')
    const found = start === null ? null : linksIn(start)
    if (found !== null) links.set(digest, found)
  }

  const readPiece = (digest: Digest, base64: string, place: Place): boolean => {
    const bytes = Buffer.from(base64, 'base64')
    if (bytes.toString('base64') !== base64) return false
    open ??= { digest, places: [], hash: createHash('sha256'), start: Buffer.alloc(0) }
    open.hash.update(bytes)
    open.places.push(place)
    if (open.start !== null) {
      const start: Buffer = Buffer.concat([open.start, bytes])
      open.start = mayBecomeNode(start) ? start : null
    }
    return true
  }

  return {
    speak(digest, stream, sequence) {
      if (!spoken.has(digest)) spoken.set(digest, { stream, sequence })
    },
    read({ text, from, length, number }) {
      const line = text === undefined ? null : readObjectLine(text)
      const isNext = line !== null && (open === null ? line.digest > last : line.digest === open.digest && 'base64' in line)
      if (line === null || !isNext || ('base64' in line && !readPiece(line.digest, line.base64, { from, length })))
        return report({ tenant, stream: null, line: number, code: 'store_corrupt' })
      last = line.digest
      if ('erased' in line) objects.set(line.digest, null)
      else if (!line.more && open !== null) {
        close(open)
        open = null
      }
    },
    end() {
      if (open !== null) tell(open.digest, 'object_corrupt')
      // A map grows while it is walked.
      for (const [digest, referrer] of spoken) {
        for (const link of links.get(digest) ?? []) if (!spoken.has(link)) spoken.set(link, referrer)
        if (!objects.has(digest)) tell(digest, 'object_missing')
      }
      for (const digest of objects.keys()) if (!spoken.has(digest)) tell(digest, 'reference_unknown')
      return objects
    },
  }
}
