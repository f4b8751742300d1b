// Paths as bytes, because a file name may be any bytes. A path is a string with one character per byte.
import { isDigest } from '../../core/digest/digest.ts'

/** The argument of a system call. */
export const bytesOf = (path: string): Buffer => Buffer.from(path, 'latin1')

export const bytePath = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** For people: as it is when it is UTF-8, else in quotes with the bytes spelled out, as git does it. */
export function pathText(path: string): string {
  try {
    const text = strict.decode(bytesOf(path))
    // In an event a digest would name an object.
    return isDigest(text) ? `./${text}` : text
  } catch {
    return quoted(path)
  }
}

/** As git reads it: any byte that is not plain is spelled out. */
export const quoted = (path: string): string =>
  `"${path.replace(/["\\]|[^ -~]/g, byte => (byte === '"' || byte === '\\' ? `\\${byte}` : `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`))}"`
