// A disk of a chosen size, for tests that fill it. Needs root and Linux; says so where it cannot.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const DISK_PAGE = 4096
const ROOMY = 64 * 1024 * 1024

export interface Disk {
  readonly folder: string
  /** As much as is used now, and this many pages more. */
  leave(pages: number): void
  roomy(): void
  unmount(): void
}

export function smallDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-disk-'))
  const resize = (bytes: number) => execFileSync('mount', ['-o', `remount,size=${bytes}`, folder])
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOMY}`, 'tmpfs', folder], { stdio: 'pipe' })
  return {
    folder,
    leave(pages) {
      const { blocks, bfree, bsize } = statfsSync(folder)
      resize((blocks - bfree) * bsize + pages * DISK_PAGE)
    },
    roomy: () => void resize(ROOMY),
    unmount() {
      execFileSync('umount', ['--lazy', folder])
      rmdirSync(folder)
    },
  }
}

/** Why there can be no small disk here; null when there can. */
export function noDiskBecause(): string | null {
  try {
    smallDisk().unmount()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
