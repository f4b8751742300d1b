// Reads a bundle from disk: pack.json and, beside it, pack.json.sig. Never opens another file, even if the manifest names one.
import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, reasonOf } from '../../adapters/processes/reasons.ts'
import { MAX_BUNDLE_BYTES } from '../../core/bundle/manifest.ts'
import type { BundleFiles } from '../../engine/bundle/check-bundle.ts'
import { Fault } from '../../errors.ts'

const MAX_SIGNATURE_BYTES = 4096

/** Accepts the bundle's folder, or pack.json itself. */
export async function manifestAt(path: string): Promise<string> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() ? join(path, 'pack.json') : path
}
export const signatureAt = (manifest: string): string => `${manifest}.sig`

export async function readBundle(path: string): Promise<BundleFiles> {
  const manifest = await manifestAt(path)
  const bytes = await readBytes(manifest, MAX_BUNDLE_BYTES)
  if (bytes === null) throw new Fault('path_missing', { path: manifest })
  const signature = await readBytes(signatureAt(manifest), MAX_SIGNATURE_BYTES)
  // Bytes that are not UTF-8 decode to replacement characters, which are not a valid signature.
  return { manifest: bytes, signature: signature === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(signature) }
}

/** Null when the file does not exist. Opened without blocking, so that a pipe without a writer does not hang. */
async function readBytes(path: string, most: number): Promise<Uint8Array | null> {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new Fault('file_unreadable', { path, reason }, { cause })
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? null : refuse(reasonOf(error), error),
  )
  if (handle === null) return null
  try {
    const found = await handle.stat()
    if (!found.isFile()) refuse('it is not a file')
    if (found.size > most) refuse(`it has ${found.size} bytes and may have ${most}`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
