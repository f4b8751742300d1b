// Reads the text of one file by descriptor. Follows no link, never waits for a fifo, and stops at its limit.
import { constants, type Stats } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { Fault } from '../../errors.ts'
import type { Repo } from './repo.ts'

export const SEVERAL_NAMES = 'it has several names (hard links), and one may be outside the repo'

export const unreadable = (path: string, reason: string): Fault => new Fault('file_unreadable', { path, reason })

/** Looked at before it is opened and again after: opening a device may be an act, and what was a file may be one by now. */
export async function readText(place: string, path: string, { limits, readHardLinks }: Repo): Promise<string> {
  const check = (found: Stats): void => {
    if (!found.isFile()) throw unreadable(path, found.isDirectory() ? 'it is a folder' : 'it is not a plain file')
    if (found.nlink > 1 && !readHardLinks) throw unreadable(path, SEVERAL_NAMES)
    if (found.size > limits.readBytes) throw tooLarge(path, found.size, limits.readBytes)
  }
  check(await lstat(place))
  const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    check(await handle.stat())
    // It may grow while it is read.
    const pieces: Uint8Array[] = await handle.createReadStream({ end: limits.readBytes, autoClose: false }).toArray()
    const bytes = Buffer.concat(pieces)
    if (bytes.length > limits.readBytes) throw tooLarge(path, bytes.length, limits.readBytes)
    return textOf(bytes, path)
  } finally {
    await handle.close()
  }
}

const tooLarge = (path: string, size: number, most: number): Fault =>
  unreadable(path, `it has ${size} bytes; at most ${most} are read. Look at a part of it with a command`)

function textOf(bytes: Uint8Array, path: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {} // not UTF-8
  throw unreadable(path, `it is not text: ${bytes.length} bytes that are not UTF-8, or hold a zero`)
}
