// The temporary homes of commands. Each is named after the process that made it, so that the next process removes the homes of one that was killed.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSameProcess, ownIdentity } from '../processes/process-identity.ts'
import { endStrays } from './end-strays.ts'

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
