// The temporary homes of commands. Each is named after the process that made it, so that the next process removes the homes of one that was killed.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSameProcess, ownIdentity } from '../processes/process-identity.ts'

const HOME = /^onbook-home-(\d+)-(\d+|x)-/

export function makeHome(): Promise<string> {
  const { pid, started } = ownIdentity()
  return mkdtemp(join(tmpdir(), `onbook-home-${pid}-${started ?? 'x'}-`))
}

/** Ends processes that still work in the home first. A home that cannot be removed stays until the next start. */
export async function removeHome(home: string): Promise<void> {
  await endStrays(home)
  await rm(home, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}

/** Removes homes of this user whose process has ended. Other files, and homes of living processes, stay. */
export async function removeLeftHomes(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid, started] = HOME.exec(name) ?? []
    if (pid === undefined || isSameProcess({ pid: Number(pid), started: started === 'x' ? null : started! })) continue
    const home = join(tmpdir(), name)
    const found = await stat(home).catch(() => null)
    if (found?.isDirectory() && (process.getuid === undefined || found.uid === process.getuid())) await removeHome(home)
  }
}

/** A process that is forked while the list is read is found in the next round. */
const MOST_ROUNDS = 10

/** Only Linux shows what a process was given. */
async function endStrays(home: string): Promise<void> {
  if (process.platform !== 'linux') return
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const strays = await straysOf(home)
    if (strays.length === 0) return
    for (const pid of strays) end(pid)
  }
}

async function straysOf(home: string): Promise<readonly number[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(numbers.map(async name => ((await isGiven(name, home)) ? [Number(name)] : [])))
  return found.flat()
}

/** A process of another user, or one that is gone: not to be ended. */
const isGiven = (name: string, home: string): Promise<boolean> =>
  readFile(`/proc/${name}/environ`, 'latin1').then(
    given => `\0${given}`.includes(`\0HOME=${home}\0`),
    () => false,
  )

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {} // gone by now
}
