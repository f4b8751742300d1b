// Folder: Processes: start them, identify them, explain their errors.
// Starts a process with pipes. Without a free file descriptor Node returns a process that has no pipes, and reports the failure later.
import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'

/** Throws when there is no process to talk to. Other failures are reported by the process, as `error`. */
export function startProcess(program: string, words: readonly string[], options: SpawnOptionsWithoutStdio): ChildProcessWithoutNullStreams {
  const child = spawn(program, words, options) as Partial<ChildProcessWithoutNullStreams> & ChildProcessWithoutNullStreams
  if (child.stdin != null && child.stdout != null && child.stderr != null) return child
  // Node reports the same failure once more. An error without a listener ends the host.
  child.on('error', () => {})
  throw Object.assign(new Error('too many files are open'), { code: 'EMFILE' })
}

/** Whether something failed for want of file descriptors. It succeeds when others have closed theirs. */
export const isOutOfFiles = (error: unknown): boolean => {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  return code === 'EMFILE' || code === 'ENFILE' || (cause !== undefined && isOutOfFiles(cause))
}
