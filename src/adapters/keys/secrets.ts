// Reads the values of secrets by id: from the environment, or from a file that only its owner can read. Caches none.
import { open } from 'node:fs/promises'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { Fault } from '../../errors.ts'
import type { Secrets } from '../../ports.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'

/** `db-password` is ONBOOK_SECRET_DB_PASSWORD. */
export const environmentSecrets = (environment: Readonly<Record<string, string | undefined>>): Secrets => ({
  get: async id => environment[`ONBOOK_SECRET_${id.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`] ?? null,
})

/** A JSON object of texts, read anew each time: a secret that was changed is used at once. No file has no secrets. */
export const fileSecrets = (path: string): Secrets => ({
  async get(id) {
    const values = readValues(path, await readPrivate(path))
    const value = Object.hasOwn(values, id) ? values[id] : undefined
    return typeof value === 'string' ? value : null
  },
})

/** One file for several tenants: an object of texts for each. A tenant cannot read another's values. */
export const tenantSecrets = (path: string, tenant: string): Secrets => ({
  async get(id) {
    const own = await tenantValues(path, tenant)
    return Object.hasOwn(own, id) ? own[id]! : null
  },
})

/** All that a tenant has, by id. */
export async function tenantValues(path: string, tenant: string): Promise<Readonly<Record<string, string>>> {
  const values = readValues(path, await readPrivate(path))
  const own = Object.hasOwn(values, tenant) ? values[tenant]! : null
  return Object.fromEntries(
    Object.entries(isObject(own) ? own : {}).flatMap(([id, value]) => (typeof value === 'string' ? [[id, value]] : [])),
  )
}

/** The first that has it. */
export const secretsFrom = (...sources: readonly Secrets[]): Secrets => ({
  async get(id) {
    for (const source of sources) {
      const value = await source.get(id)
      if (value !== null) return value
    }
    return null
  },
})

/** Only these: what content may ask for is policy's to say. */
export const onlySecrets = (secrets: Secrets, ids: readonly string[]): Secrets => ({
  get: async id => (ids.includes(id) ? secrets.get(id) : null),
})

async function readPrivate(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      // The mode of the open file, so that it cannot change in between.
      const { mode } = await file.stat()
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw new Fault('key_exposed', { path })
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    if (codeOf(error) === 'ENOENT') return '{}'
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  }
}

/** Never quotes what it could not read. */
function readValues(path: string, text: string): { readonly [id: string]: Json } {
  try {
    const values: Json = JSON.parse(text)
    if (isObject(values)) return values
  } catch {}
  throw new Fault('file_unreadable', { path, reason: 'it is not a JSON object of ids and texts' })
}
