// Amounts and paths as people write them.
import { decodeName, encodeName, isPath } from '../../core/workspace/path.ts'

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** As files are called on a disk. */
export const shownPath = (path: string): string =>
  path
    .split('/')
    .map(name => decodeName(name) ?? name)
    .join('/')

/** From either spelling. */
export const pathArgument = (given: string): string => (isPath(given) ? given : given.split('/').map(encodeName).join('/'))
