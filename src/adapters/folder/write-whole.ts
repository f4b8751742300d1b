// Writes a file atomically, through a temporary file and a rename: a crash or a full disk leaves the new file or the old one.
import { randomUUID } from 'node:crypto'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../processes/reasons.ts'

/** Replaces what is there, and keeps its mode: what was private stays private. */
export async function writeWhole(full: string, text: string): Promise<void> {
  const before = await stat(full).catch(() => null)
  const temporary = await writeBeside(full, text, before?.isFile() === true ? before.mode & 0o777 : undefined)
  try {
    await rename(temporary, full)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** The temporary file it wrote, in the same folder: for the caller to move, or to remove. */
export async function writeBeside(full: string, text: string, mode?: number): Promise<string> {
  const temporary = join(dirname(full), `.${randomUUID()}.tmp`)
  const handle = await open(temporary, 'wx', mode)
  try {
    const given = (await handle.stat()).mode & 0o777
    if (mode !== undefined && mode !== given) await handle.chmod(mode) // the umask took something away
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return temporary
}

/** Gives a file its name where a rename would replace; false when the name is taken. */
export async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
