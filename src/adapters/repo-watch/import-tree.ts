// Imports files into git one by one, on top of an existing tree, and gets the next tree. Git does not read the repo itself.
import { once } from 'node:events'
import { quoted } from './byte-path.ts'
import { OWN_REF, type PrivateGit, type RunningGit } from './private-git.ts'

export interface Importing {
  put(path: string, mode: string, bytes: Buffer): Promise<void>
  remove(path: string): Promise<void>
  /** The tree with all of it; null when there was nothing. */
  end(): Promise<string | null>
  /** Stops the import at any time. */
  stop(): void
}

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Git is started when there is something to tell it. A commit without parents is the only way to have it make a tree, and keep it. */
export function importInto(git: PrivateGit, base: string): Importing {
  let running: RunningGit | null = null
  const say = async (...pieces: readonly (string | Buffer)[]): Promise<void> => {
    if (running === null) {
      running = git.start(['fast-import', '--quiet', '--done', '--force'], 1024)
      running.ended.catch(() => {})
      await say(`reset ${OWN_REF}\ncommit ${OWN_REF}\ncommitter onbook <onbook> 0 +0000\ndata 0\n`)
      if (base !== EMPTY_TREE) await say(`M 040000 ${base} ""\n`)
    }
    const { input, ended } = running
    for (const piece of pieces) if (!input.write(piece)) await Promise.race([once(input, 'drain'), ended])
  }
  return {
    put: (path, mode, bytes) => say(`M ${mode} inline ${quoted(path)}\ndata ${bytes.length}\n`, bytes, '\n'),
    remove: path => say(`D ${quoted(path)}\n`),
    async end() {
      if (running === null) return null
      await say('ls ""\ndone\n')
      running.input.end()
      const { out } = await running.ended
      return /^040000 tree ([0-9a-f]+)\t/.exec(out.toString('latin1'))?.[1] ?? EMPTY_TREE
    },
    stop: () => running?.stop(),
  }
}
