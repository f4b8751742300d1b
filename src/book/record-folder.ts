// Finds a record and opens it. A read-only command never creates one.
import { existsSync, type Stats, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { fileKeyring } from '../adapters/keys/file-keyring.ts'
import { readPublicKeys, signatureChecker } from '../adapters/keys/public-keys.ts'
import { codeOf, reasonOf } from '../adapters/processes/reasons.ts'
import { sqliteStore } from '../adapters/sqlite-store/sqlite-store.ts'
import { Fault } from '../errors.ts'
import type { CheckSignature, Clock, Keyring, PublicKey, Store } from '../ports.ts'
import type { Settings } from './settings.ts'

export const clock: Clock = () => new Date().toISOString()

const FOLDER = '.onbook'

/** The one that is named; else the record here, or in the nearest folder above that has one; else the one that would be made here. */
export const folderOf = (settings: Settings): string => (typeof settings.data === 'string' ? settings.data : (folderAbove() ?? FOLDER))

function folderAbove(): string | null {
  if (existsSync(join(FOLDER, 'onbook.db'))) return FOLDER
  for (let at = process.cwd(); at !== dirname(at); at = dirname(at))
    if (existsSync(join(dirname(at), FOLDER, 'onbook.db'))) return join(dirname(at), FOLDER)
  return null
}

export const databaseOf = (settings: Settings): string => join(folderOf(settings), 'onbook.db')
export const secretsFile = (settings: Settings): string => join(folderOf(settings), 'secrets.json')
export const tenantOf = (settings: Settings): string => (typeof settings.tenant === 'string' ? settings.tenant : 'default')

/** SQLite would make a new record of an empty file: it may be what is left of one. */
export function existingDatabase(settings: Settings): string {
  const path = databaseOf(settings)
  const found = statOf(path)
  if (found === null) throw new Fault('store_missing', { path })
  if (found.isFile() && found.size === 0) throw new Fault('store_corrupt', { path, reason: 'it is empty' })
  return path
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  }
}

export const openRecord = (settings: Settings): Store => sqliteStore(existingDatabase(settings), clock)

export async function withRecord<T>(settings: Settings, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openRecord(settings)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const keysFolder = (settings: Settings): string => join(folderOf(settings), 'keys')
export const keyringOf = (settings: Settings): Keyring => fileKeyring(keysFolder(settings), clock)

/** From a file of public keys where one is named, else from the keyring; null when there are no keys at all. */
export async function checkerOf(settings: Settings): Promise<CheckSignature | null> {
  if (typeof settings.publicKey === 'string')
    return signatureChecker(readPublicKeys(settings.publicKey, await readText(settings.publicKey)))
  if (!existsSync(keysFolder(settings))) return null
  const keys = await keyringOf(settings).publicKeys().catch(withoutKeys)
  return keys.length === 0 ? null : signatureChecker(keys)
}

/** An auditor of another user's record cannot read its keys: signatures are checked with --public-key, or not at all. */
function withoutKeys(error: unknown): readonly PublicKey[] {
  if (error instanceof Fault && error.code === 'file_unreadable' && codeOf(error.cause) === 'EACCES') return []
  throw error
}

export const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  })

/** Who acts, for the record: as the environment names it, for example in CI, else the user of this process. */
export function actorOf(): string {
  const { ONBOOK_ACTOR: named = '' } = process.env
  if (named !== '') return named
  try {
    return `cli:${userInfo().username}`
  } catch {
    return 'cli'
  }
}
