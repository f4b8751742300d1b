// Runs the system's git over a private store. Git sees neither the repo nor any user settings: it gets bytes, and compares trees.
import type { ChildProcessWithoutNullStreams as Child } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { isRunning } from '../processes/process-identity.ts'
import { reasonOf } from '../processes/reasons.ts'
import { isOutOfFiles, startProcess } from '../processes/start-process.ts'

export interface Said {
  /** Its beginning, up to the limit. */
  readonly out: Buffer
  /** How many bytes it said in all. */
  readonly bytes: number
}

export interface RunningGit {
  readonly input: Writable
  /** Rejects with what it complained of. */
  readonly ended: Promise<Said>
  stop(): void
}

export interface PrivateGit {
  /** Throws when the machine has no file descriptor left. */
  start(words: readonly string[], mostBytes: number): RunningGit
  run(words: readonly string[], mostBytes?: number): Promise<Said>
}

const SETTINGS = [
  // Nothing that lies in the store is run.
  'core.hooksPath=/dev/null',
  // Data that a machine crash destroys is read again from the repo.
  'core.fsync=none',
  'core.quotePath=false',
  'core.protectHFS=false',
  'core.protectNTFS=false',
  'gc.autoDetach=false',
]
const MOST_COMPLAINT = 4096

/** @param ms what takes longer is ended */
export function privateGit(folder: string, ms: number): PrivateGit {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    LC_ALL: 'C',
    GIT_DIR: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
  }
  const start: PrivateGit['start'] = (words, mostBytes) => {
    const given = [...SETTINGS.flatMap(setting => ['-c', setting]), ...words]
    const child = startProcess('git', given, { cwd: folder, env, windowsHide: true })
    // A write to an ended process fails here; the exit status has the reason.
    child.stdin.on('error', () => {})
    return { input: child.stdin, ended: endOf(child, words[0] ?? '', mostBytes, ms), stop: () => void child.kill('SIGKILL') }
  }
  return {
    start,
    async run(words, mostBytes = Number.POSITIVE_INFINITY) {
      const { input, ended } = start(words, mostBytes)
      input.end()
      return await ended
    },
  }
}

function endOf(child: Child, verb: string, mostBytes: number, ms: number): Promise<Said> {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  const ended = new Promise<Said>((resolve, reject) => {
    const pieces: Buffer[] = []
    let [kept, bytes, complaint] = [0, 0, '']
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length
      const part = piece.subarray(0, Math.max(0, mostBytes - kept))
      kept += part.length
      if (part.length > 0) pieces.push(part)
    })
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      complaint = (complaint + piece).slice(0, MOST_COMPLAINT)
    })
    child.once('error', error => reject(new Error(`git cannot be started: ${reasonOf(error)}`, { cause: error })))
    child.once('close', (code, signal) => {
      if (code === 0) resolve({ out: Buffer.concat(pieces), bytes })
      else reject(new Error(signal === null ? `git ${verb} ended with ${code}: ${complaint.trim()}` : `git ${verb} was ended by ${signal}`))
    })
  })
  return ended.finally(() => clearTimeout(timer))
}

/** Creates the store if it is missing; false when this machine has no git. */
export async function openStore(git: PrivateGit, folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await git.run(['--version'])
  } catch (error) {
    if (isOutOfFiles(error)) throw error
    return false
  }
  if (!existsSync(`${folder}/HEAD`)) await makeStore(git, folder)
  return true
}

/** With nothing in it. */
export async function makeStore(git: PrivateGit, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await git.run(['init', '--quiet', '--bare', '--template='])
}

const REFS = 'refs/onbook'

/** Protects the objects of this process from garbage collection. */
export const OWN_REF = `${REFS}/${process.pid}`

/** Takes away what only processes that have ended spoke of, when there is much of it. */
export async function tidyStore(git: PrivateGit): Promise<void> {
  const { out } = await git.run(['for-each-ref', '--format=%(refname)', REFS])
  const refs = out.toString('latin1').split('\n')
  for (const ref of refs) if (ref !== '' && !isRunning(Number(ref.split('/').at(-1)))) await git.run(['update-ref', '-d', ref])
  await git.run(['gc', '--auto', '--quiet'])
}
