// The operator's trust roots, and the key to sign with. Nothing in a bundle adds to either.
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { idOf, readPublicKeys, signatureChecker } from '../../adapters/keys/public-keys.ts'
import { reasonOf } from '../../adapters/processes/reasons.ts'
import { folderOf, readText } from '../../book/record-folder.ts'
import type { Signature } from '../../core/record/checkpoint.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature } from '../../ports.ts'
import type { Input } from '../commands.ts'

export interface TrustRoots {
  readonly check: CheckSignature
  /** The display name of a key: the name of its file. */
  nameOf(key: string): string | null
}

/** The keys in <data>/trust, and the named ones. A file there without a key is an error, because the operator relies on it. */
export async function trustRoots(input: Input): Promise<TrustRoots> {
  const paths = [...trustFolder(join(folderOf(input), 'trust')), ...((input.trustRoot as readonly string[] | undefined) ?? [])]
  const found = await Promise.all(
    paths.map(async path => readPublicKeys(path, await readText(path)).map(key => ({ ...key, name: basename(path, '.pem'), path }))),
  )
  const keys = found.flat()
  for (const { pem, path } of keys) requireEd25519(createPublicKey(pem), path)
  return { check: signatureChecker(keys), nameOf: id => keys.find(key => key.id === id)?.name ?? null }
}

function trustFolder(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  try {
    const names = readdirSync(folder).filter(name => name.endsWith('.pem'))
    return names.sort().map(name => join(folder, name))
  } catch (error) {
    throw new Fault('file_unreadable', { path: folder, reason: reasonOf(error) }, { cause: error })
  }
}

/** Refuses a private key that other users can read. */
export async function signingKey(path: string): Promise<(bytes: Uint8Array) => Signature> {
  const pem = await readText(path)
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) throw new Fault('key_exposed', { path })
  const key = requireEd25519(readPrivateKey(pem, path), path)
  const id = idOf(createPublicKey(key))
  return bytes => ({ key: id, signature: sign(null, bytes, key).toString('base64url') })
}

function readPrivateKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw new Fault('file_unreadable', { path, reason: 'it holds no private key in PKCS #8 PEM form' }, { cause: error })
  }
}

function requireEd25519(key: KeyObject, path: string): KeyObject {
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new Fault('file_unreadable', { path, reason: `its key is ${key.asymmetricKeyType}, and only Ed25519 is used here` })
}
