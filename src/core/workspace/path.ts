// Names and paths inside a workspace: plain ASCII, so that they mean the same on every disk and in every URL. Knows no disk.

const PLAIN = /^[A-Za-z0-9._~-]+$/
const HEX = /^~(?:[0-9A-F]{2})+$/
/** A name of 255 bytes, the most that disks take, written as hex. */
const MOST_NAME = 511
export const MOST_PATH = 4096
/** For schemas. */
export const WORKSPACE_NAME = '^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$'
const WHOLE_NAME = new RegExp(WORKSPACE_NAME)

const isDots = (name: string): boolean => name === '.' || name === '..'

export const isWorkspaceName = (text: string): boolean => WHOLE_NAME.test(text)

/** One step of a path. What begins with `~` must stand for a name that cannot be written plainly: so two names never mean the same file. */
export const isSegment = (text: string): boolean =>
  text.length <= MOST_NAME && PLAIN.test(text) && !isDots(text) && (!text.startsWith('~') || decodeName(text) !== null)

/** What git reads commands from: nobody who checks out a workspace gets one. */
const isGits = (segment: string): boolean => segment.toLowerCase() === '.git'

export const isPath = (text: string): boolean =>
  text.length <= MOST_PATH && text.split('/').every(segment => isSegment(segment) && !isGits(segment))

/** A name from a disk as a segment: itself where it can be, else `~` and the uppercase hex of its UTF-8. */
export const encodeName = (name: string): string =>
  PLAIN.test(name) && !name.startsWith('~') && !isDots(name) ? name : `~${hexOf(new TextEncoder().encode(name))}`

/** The name that a segment stands for; null for what no disk may be asked to hold. */
export function decodeName(segment: string): string | null {
  if (!segment.startsWith('~')) return PLAIN.test(segment) && !isDots(segment) ? segment : null
  const name = HEX.test(segment) ? textOf(segment.slice(1)) : null
  if (name === null || isDots(name) || /[/\\\0]/.test(name)) return null
  return encodeName(name) === segment ? name : null
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, byte => byte.toString(16).toUpperCase().padStart(2, '0')).join('')

function textOf(hex: string): string | null {
  const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** The path itself, or something below it. Below the empty path is everything. */
export const isWithin = (path: string, prefix: string): boolean => prefix === '' || path === prefix || path.startsWith(`${prefix}/`)
