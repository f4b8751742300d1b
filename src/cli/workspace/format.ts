// Formats amounts and paths for people.
import { decodeName, encodeName, isPath } from '../../core/workspace/path.ts'

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A path in the spelling of the file system. */
export const shownPath = (path: string): string =>
  path
    .split('/')
    .map(name => decodeName(name) ?? name)
    .join('/')

/** Accepts either spelling. */
export const pathArgument = (given: string): string => (isPath(given) ? given : given.split('/').map(encodeName).join('/'))
