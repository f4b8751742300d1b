// Caches the digests of a folder's files, so that files with unchanged metadata need not be read again. Only a shortcut:
// it may be lost, and an entry counts only where a version has the same digest.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Digest } from '../../core/digest/digest.ts'

/** Metadata that changes when a file does. */
export interface Look {
  readonly dev: number
  readonly size: number
  /** To less than a microsecond, and disks are not more exact than that. */
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly ino: number
}

export interface StatCache {
  /** The digest of the file, when it looks exactly as it did. */
  find(path: string, stat: Look): Digest | null
  note(path: string, stat: Look, digest: Digest): void
  /** Forgets what was neither found nor noted. */
  save(): void
}

type Entry = readonly [size: number, mtimeMs: number, ctimeMs: number, ino: number, digest: Digest]

const VERSION = 1

export function statCache(file: string): StatCache {
  const before = load(file)
  const found: (readonly [string, Entry])[] = []
  const noted = new Map<string, Entry>()
  const now = timeOfDisk(file)

  return {
    find(path, stat) {
      const known = before.get(path)
      if (known === undefined) return null
      const [size, mtimeMs, ctimeMs, ino, digest] = known
      if (size !== stat.size || mtimeMs !== stat.mtimeMs || ctimeMs !== stat.ctimeMs || ino !== stat.ino) return null
      found.push([path, known])
      return digest
    },
    note(path, stat, digest) {
      // Written within the same tick as this began: it could change once more and look the same.
      if (stat.mtimeMs >= now || stat.ctimeMs >= now) return
      noted.set(path, [stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, digest])
    },
    save() {
      const temporary = `${file}.${process.pid}.tmp`
      writeFileSync(temporary, JSON.stringify({ v: VERSION, files: [...found, ...noted] }))
      renameSync(temporary, file)
    },
  }
}

/** By the disk's own clock, which need not be ours. */
function timeOfDisk(file: string): number {
  const probe = `${file}.${process.pid}.probe`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(probe, '')
  const { mtimeMs } = statSync(probe)
  rmSync(probe)
  return mtimeMs
}

function load(file: string): ReadonlyMap<string, Entry> {
  try {
    const { v, files } = JSON.parse(readFileSync(file, 'utf8')) as { v: unknown; files: readonly (readonly [string, Entry])[] }
    return v === VERSION ? new Map(files) : new Map()
  } catch {
    return new Map()
  }
}
