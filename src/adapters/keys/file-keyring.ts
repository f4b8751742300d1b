// Folder: Keys that sign and seal, in files outside the database.
// Stores keys in a folder of their own, outside the database: one file each, readable by its owner alone. Rotation adds a key and replaces
// none.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { link, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Fault } from '../../errors.ts'
import type { Clock, KeyPurpose, Keyring } from '../../ports.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'
import { idOf, pemOf, signatureChecker } from './public-keys.ts'

interface KeyFile {
  readonly id: string
  readonly purpose: KeyPurpose
  readonly createdAt: string
  /** PKCS #8 PEM for signing; base64url for seals. */
  readonly secret: string
}

const NAME = /^(sign|seal)-[0-9a-f]{16}\.json$/
const OWNER_ONLY = 0o600

export function fileKeyring(path: string, clock: Clock): Keyring {
  // Node tries for ever to make a relative folder where the working directory was removed.
  const folder = resolve(path)
  // Only when a key is made: checking signatures writes nothing, so that it works on a read-only disk.
  const makeFolder = (): void => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      chmodSync(folder, 0o700)
    } catch (error) {
      throw new Fault('file_unwritable', { path: folder, reason: reasonOf(error) }, { cause: error })
    }
  }

  const keysFor = (purpose: KeyPurpose): readonly KeyFile[] =>
    namesIn(folder)
      .filter(name => NAME.test(name) && name.startsWith(purpose))
      .map(name => readKey(join(folder, name)))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1))

  const create = async (purpose: KeyPurpose): Promise<KeyFile> => {
    makeFolder()
    const secret = secretFor(purpose)
    const key: KeyFile = {
      id: purpose === 'sign' ? idOf(publicOf(secret)) : `seal-${randomBytes(8).toString('hex')}`,
      purpose,
      createdAt: clock(),
      secret,
    }
    await writePrivately(join(folder, `${key.id}.json`), JSON.stringify(key))
    return key
  }

  const publicKeys = () => keysFor('sign').map(({ id, secret }) => ({ id, pem: pemOf(publicOf(secret)) }))
  const current = async (purpose: KeyPurpose): Promise<KeyFile> => keysFor(purpose).at(-1) ?? create(purpose)
  return {
    async rotate(purpose) {
      return (await create(purpose)).id
    },
    async sign(bytes) {
      const key = await current('sign')
      return { key: key.id, signature: sign(null, bytes, createPrivateKey(key.secret)).toString('base64url') }
    },
    async seal(bytes) {
      const key = await current('seal')
      return { key: key.id, signature: sealWith(key, bytes).toString('base64url') }
    },
    async checkSeal(bytes, { key: id, signature }) {
      const key = keysFor('seal').find(key => key.id === id)
      const given = Buffer.from(signature, 'base64url')
      const expected = key === undefined ? null : sealWith(key, bytes)
      return expected !== null && expected.length === given.length && timingSafeEqual(expected, given)
    },
    checkSignature: async (bytes, signature) => signatureChecker(publicKeys())(bytes, signature),
    publicKeys: async () => publicKeys(),
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw new Fault('file_unreadable', { path: folder, reason: reasonOf(error) }, { cause: error })
  }
}

const publicOf = (secret: string): KeyObject => createPublicKey(createPrivateKey(secret))

const sealWith = ({ secret }: KeyFile, bytes: Uint8Array): Buffer =>
  createHmac('sha256', Buffer.from(secret, 'base64url')).update(bytes).digest()

const secretFor = (purpose: KeyPurpose): string =>
  purpose === 'seal'
    ? randomBytes(32).toString('base64url')
    : generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A key file that others can read is refused. */
function readKey(path: string): KeyFile {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) throw new Fault('key_exposed', { path })
  let key: unknown
  try {
    key = JSON.parse(readFileSync(path, 'utf8'))
    if (isKeyFile(key)) return key
  } catch (error) {
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  }
  throw new Fault('file_unreadable', { path, reason: 'it does not hold a key; put the file back from a copy of the keys' })
}

function isKeyFile(value: unknown): value is KeyFile {
  const { id, purpose, createdAt, secret } = (value ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || typeof createdAt !== 'string' || typeof secret !== 'string') return false
  if (purpose !== 'sign') return purpose === 'seal'
  try {
    return createPrivateKey(secret).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

/** Written beside and linked in: the file is whole, and private, from the moment it has its name. */
async function writePrivately(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await writeFile(temporary, text, { mode: OWNER_ONLY, flag: 'wx', flush: true })
    await link(temporary, path)
  } catch (error) {
    throw new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
  } finally {
    await rm(temporary, { force: true })
  }
}
