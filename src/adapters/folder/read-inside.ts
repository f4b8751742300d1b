// Reads a text file of a folder, and nothing outside it. Links may point inside the folder, but never out.
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { Fault } from '../../errors.ts'
import type { ReadText } from '../../ports.ts'
import { codeOf } from '../processes/reasons.ts'

/** The real path, when it lies inside the folder. */
export async function realInside(base: string, path: string): Promise<string> {
  const [realBase, real] = await Promise.all([realpath(base), realpath(resolve(base, path))])
  if (real !== realBase && !real.startsWith(realBase.endsWith(sep) ? realBase : realBase + sep)) throw new Fault('path_outside', { path })
  return real
}

/** @param keepMark whether a byte order mark at the start stays: then the text has every byte of the file. */
export async function readUtf8(path: string, maxBytes: number, keepMark = false): Promise<ReadText> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) return { ok: false, missing: false, message: found.isDirectory() ? 'it is a folder' : 'it is not a plain file' }
    if (found.size > maxBytes)
      return { ok: false, missing: false, message: `it has ${sizeText(found.size)}; at most ${sizeText(maxBytes)} are read` }
    const bytes = await handle.readFile()
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: keepMark }).decode(bytes)
    return { ok: true, text, ...(!keepMark && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? { mark: true } : {}) }
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { ok: false, missing: false, message: 'it is not valid UTF-8' }
    throw error
  } finally {
    await handle.close()
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const MEGABYTE = 1024 * 1024
const sizeText = (bytes: number): string => (bytes < MEGABYTE ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / MEGABYTE).toFixed(1)} MB`)
