// Ends processes that a command left behind outside of its group. Finds them by their unique HOME; a process that hides its environment is
// not found.
import { readdir, readFile } from 'node:fs/promises'

/** A process that is forked while the list is read is found in the next round. */
const MOST_ROUNDS = 10

/** Only Linux shows what a process was given. */
export async function endStrays(home: string): Promise<void> {
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
