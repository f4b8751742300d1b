// Presents a workspace version as Files, so that code for folders can read it. Read only.
import { readText } from '../../core/pack/file-content.ts'
import type { ListedEntry } from '../../core/workspace/list.ts'
import { isPath, isWithin } from '../../core/workspace/path.ts'
import type { Files, Store } from '../../ports.ts'
import { listFiles } from './read.ts'
import type { VersionChoice, WorkspaceUser } from './versions.ts'

export async function storedFiles(store: Store, user: WorkspaceUser, choice: VersionChoice): Promise<Files> {
  return filesAmong(store, user.tenant, (await listFiles(store, user, { ...choice, scope: 'subtree' })).entries)
}

/** @param entries of a whole tree */
export function filesAmong(store: Store, tenant: string, entries: readonly ListedEntry[]): Files {
  const byPath = new Map(entries.map(entry => [entry.path, entry]))
  const paths = entries.flatMap(({ path, kind }) => (kind === 'file' && isListed(path) ? [path] : []))
  const unchangeable = async (): Promise<never> => {
    throw new Error('a version of a workspace does not change')
  }
  return {
    async readText(path, maxBytes) {
      const entry = byPath.get(path)
      if (entry === undefined) return { ok: false, missing: true, message: 'it does not exist' }
      const reason = unreadable(entry, maxBytes)
      if (reason !== null) return { ok: false, missing: false, message: reason }
      const text = readText(await store.object(tenant, entry.digest))
      return text === null ? { ok: false, missing: false, message: 'it is not valid UTF-8' } : { ok: true, text }
    },
    list: async path => paths.filter(one => isWithin(one, path)).sort(),
    async kind(path) {
      const kind = isPath(path) ? byPath.get(path)?.kind : undefined
      return kind === 'dir' ? 'folder' : (kind ?? 'none')
    },
    writeText: unchangeable,
    createText: unchangeable,
    exclusively: unchangeable,
  }
}

/** As a folder on disk is listed. */
const isListed = (path: string): boolean => path.split('/').every(name => !name.startsWith('.') && name !== 'node_modules')

function unreadable({ kind, size }: ListedEntry, maxBytes: number): string | null {
  if (kind === 'dir') return 'it is a folder'
  return size > maxBytes ? `it has ${size} bytes; at most ${maxBytes} are read` : null
}
