// Writes bytes to standard output at the reader's pace, or into a new file, all or nothing.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { linkNew } from '../../adapters/folder/write-whole.ts'
import { codeOf, reasonOf } from '../../adapters/processes/reasons.ts'
import { Fault } from '../../errors.ts'

type Piece = string | Uint8Array

/** Waits for a slow reader: the output may be larger than memory. */
export async function print(piece: Piece): Promise<void> {
  if (!process.stdout.write(piece)) await new Promise(resume => process.stdout.once('drain', resume))
}

/** Never replaces a file. A failure half-way leaves no file. */
export async function writeNew(path: string, pieces: AsyncIterable<Piece>): Promise<void> {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
  try {
    await pipeline(pieces, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }))
    if (!(await linkNew(temporary, path))) throw new Fault('path_exists', { path })
  } catch (error) {
    if (error instanceof Fault || codeOf(error) === undefined) throw error
    const reason = codeOf(error) === 'ENOENT' ? 'its folder does not exist' : reasonOf(error)
    throw new Fault('file_unwritable', { path, reason }, { cause: error })
  } finally {
    await rm(temporary, { force: true })
  }
}
