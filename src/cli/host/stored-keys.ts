// Stores the keys of `onbook host login` for this user, by the URL of their host. Only the owner can read the file.
import { lstatSync, readFileSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeBeside } from '../../adapters/folder/write-whole.ts'
import { codeOf, reasonOf } from '../../adapters/processes/reasons.ts'
import { Fault } from '../../errors.ts'

type Keys = Readonly<Record<string, string>>

export function keysFile(): string {
  const { XDG_CONFIG_HOME = '', APPDATA = '' } = process.env
  const folder = process.platform === 'win32' && APPDATA !== '' ? APPDATA : XDG_CONFIG_HOME
  return join(folder === '' ? join(homedir(), '.config') : folder, 'onbook', 'keys.json')
}

function readKeys(): Keys {
  const path = keysFile()
  try {
    const { mode } = lstatSync(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new Fault('file_unreadable', { path, reason: `other users can read it; run: chmod 600 ${path}` })
    return JSON.parse(readFileSync(path, 'utf8')) as Keys
  } catch (error) {
    if (error instanceof Fault) throw error
    if (codeOf(error) === 'ENOENT') return {}
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  }
}

export const storedKey = (url: string): string | undefined => readKeys()[url]

/** @param key null removes the key of the host */
export async function storeKey(url: string, key: string | null): Promise<void> {
  const { [url]: _, ...others } = readKeys()
  const path = keysFile()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const text = `${JSON.stringify(key === null ? others : { ...others, [url]: key }, null, 2)}\n`
  await rename(await writeBeside(path, text, 0o600), path)
}
