// Turns operating system errors into words for people.
import { Fault } from '../../errors.ts'

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | null)?.code

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EISDIR: 'it is a folder',
  EEXIST: 'something else is in its place',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its links go round in a circle',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  ECONNREFUSED: 'the connection is refused',
  ENOTFOUND: 'the name is unknown',
}

export function reasonOf(error: unknown): string {
  if (error instanceof Fault) return 'it leads out of the workspace'
  return REASONS[codeOf(error) ?? ''] ?? (error as Error).message
}
