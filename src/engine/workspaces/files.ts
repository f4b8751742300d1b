// Checks the bytes of a file before they are stored: within the size limit, and not in the form of a tree node.
import type { Digest } from '../../core/digest/digest.ts'
import { beginsAsNode } from '../../core/record/references.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

export const MOST_FILE_BYTES = 64 * 1024 * 1024
/** Enough to see what a file begins with. */
const BEGINNING = 64

/** The store refuses a node that names missing objects. A file must not look like a node, or a caller could probe which objects exist. */
export function checkBytes(path: string, bytes: Uint8Array): Uint8Array {
  if (bytes.length > MOST_FILE_BYTES) throw new Fault('file_too_large', { path, most: MOST_FILE_BYTES })
  if (beginsAsNode(bytes)) throw new Fault('file_reserved', { path })
  return bytes
}

/** Written without ever being held as a whole. */
export async function writeFile(
  store: Store,
  tenant: string,
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ readonly digest: Digest; readonly size: number }> {
  let size = 0
  let beginning: Uint8Array = new Uint8Array()
  const checked = async function* (): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      size += chunk.length
      if (beginning.length < BEGINNING) beginning = checkBytes(path, Buffer.concat([beginning, chunk.subarray(0, BEGINNING)]))
      if (size > MOST_FILE_BYTES) throw new Fault('file_too_large', { path, most: MOST_FILE_BYTES })
      yield chunk
    }
  }
  const digest = await store.writeObject(tenant, checked())
  return { digest, size }
}

/** The size of an object that is to become a file. Refused like the same bytes would be. */
export async function storedFile(
  store: Store,
  tenant: string,
  path: string,
  digest: Digest,
): Promise<{ readonly digest: Digest; readonly size: number }> {
  let size = 0
  let beginning: Uint8Array = new Uint8Array()
  for await (const chunk of store.readObject(tenant, digest)) {
    size += chunk.length
    if (beginning.length < BEGINNING) beginning = checkBytes(path, Buffer.concat([beginning, chunk.subarray(0, BEGINNING)]))
  }
  if (size > MOST_FILE_BYTES) throw new Fault('file_too_large', { path, most: MOST_FILE_BYTES })
  return { digest, size }
}
