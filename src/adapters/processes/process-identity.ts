// Identifies a process by more than its id: the system reuses the ids of ended processes, in a container soon and always the same ones.
import { readFileSync, statSync } from 'node:fs'
import { codeOf } from './reasons.ts'

export interface ProcessIdentity {
  readonly pid: number
  /** When the process started, in ticks since the machine did; null where the system does not say. Only Linux does. */
  readonly started: string | null
}

const ENDED = 'ended'

export const ownIdentity = (): ProcessIdentity => ({ pid: process.pid, started: startOf(process.pid) })

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Whether the process with this number is the one that was meant. */
export function isSameProcess({ pid, started }: ProcessIdentity): boolean {
  // 0 and less are groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isRunning(pid)) return false
  const now = startOf(pid)
  return now === null || started === null ? now !== ENDED : now === started
}

/** Whether the process is of the user of this one. True where the system does not say. */
export function isOwnProcess(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.getuid?.()
  } catch {
    return process.platform !== 'linux'
  }
}

function startOf(pid: number): string | null {
  try {
    // The second field is the program's name in brackets, which may itself hold blanks and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return fields[0] === 'Z' ? ENDED : (fields[19] ?? null)
  } catch {
    return null
  }
}
