// Reads the lines of an untrusted file, each with its place. Holds one line at a time, and none that is too long.
import { constants, type FileHandle, open } from 'node:fs/promises'
import { RUN_FILE_BEGINS } from '../../core/record/run-file.ts'
import { Fault } from '../../errors.ts'
import { reasonOf } from '../processes/reasons.ts'

/** Where a line lies, without its end. */
export interface Place {
  readonly from: number
  readonly length: number
}

export interface Line extends Place {
  /** From 1. */
  readonly number: number
  /** Null for one that is too long, or that does not end in a line feed. */
  readonly bytes: Buffer | null
}

/** A header lists streams, an event has a megabyte at most, and a piece of an object far less. */
export const LONGEST_LINE = 8 * 1024 * 1024
/** The limit of a file. */
export const MOST_BYTES = 4 * 1024 ** 3
const CHUNK = 1024 * 1024

export async function openFile(path: string): Promise<FileHandle> {
  try {
    // Opening a pipe would block until another process writes to it.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const found = await file.stat()
    if (found.isFile() && found.size <= MOST_BYTES) return file
    await file.close()
    if (found.isFile()) throw new Fault('file_too_large', { path, most: MOST_BYTES })
    throw new Fault('file_unreadable', { path, reason: 'it is not a file' })
  } catch (error) {
    throw error instanceof Fault ? error : new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  }
}

/** Throws `run_file_unknown` for a file that is something else altogether. */
export async function checkBegins(path: string, file: FileHandle): Promise<void> {
  const begins = await readAt(file, { from: 0, length: RUN_FILE_BEGINS.length })
  if (begins.toString() !== RUN_FILE_BEGINS) throw new Fault('run_file_unknown', { path })
}

export async function* linesIn(file: FileHandle): AsyncIterable<Line> {
  let rest = Buffer.alloc(0)
  let [from, number] = [0, 1]
  for (;;) {
    const chunk = await readAt(file, { from: from + rest.length, length: CHUNK })
    if (chunk.length === 0) break
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield { number, from, length: end, bytes: rest.subarray(0, end) }
      rest = rest.subarray(end + 1)
      from += end + 1
      number++
    }
    if (rest.length > LONGEST_LINE) break
  }
  if (rest.length > 0) yield { number, from, length: rest.length, bytes: null }
}

/** As much of it as there is. */
export async function readAt(file: FileHandle, { from, length }: Place): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, from + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return buffer.subarray(0, done)
}
