// Names and paths inside a workspace: plain ASCII, so that they mean the same on every disk and in every URL. Accesses no disk.

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

/**
 * One segment of a path. A segment that begins with `~` must encode a name that has no plain form: so two segments never
 * mean the same file.
 */
export const isSegment = (text: string): boolean =>
  text.length <= MOST_NAME && PLAIN.test(text) && !isDots(text) && (!text.startsWith('~') || decodeName(text) !== null)

/**
 * Git and Onbook read these as their own configuration: keys, hosts, commands, grants. A checkout must not put one on a disk. Short names of
 * Windows (`ONBOOK~1`) are other names of the same files.
 */
const RESERVED = /^(?:\.git|git~\d+|\.onbook|onbook~\d+(?:\..*)?|onbook\.(?:host|policy)\.yaml)$/
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu

/** Disks fold case, drop invisible characters, trailing dots and blanks, and split names at a colon. All spellings are one name here. */
const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(IGNORED, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')

/** A name as a disk has it. */
export const isReservedName = (name: string): boolean => RESERVED.test(foldName(name))

const isReserved = (segment: string): boolean => isReservedName(decodeName(segment) ?? segment)

/** A path whose segments can be stored. It may hold a reserved name: older versions stored some, and those can be removed. */
export const isStoredPath = (text: string): boolean => text.length <= MOST_PATH && text.split('/').every(isSegment)

export const isPath = (text: string): boolean => isStoredPath(text) && !text.split('/').some(isReserved)

/** A name from a disk as a segment: itself where it can be, else `~` and the uppercase hex of its UTF-8. */
export const encodeName = (name: string): string =>
  PLAIN.test(name) && !name.startsWith('~') && !isDots(name) ? name : `~${hexOf(new TextEncoder().encode(name))}`

/** The name that a segment encodes; null for a name that no disk can hold. */
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
