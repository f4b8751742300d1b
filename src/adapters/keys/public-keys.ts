// Checks signatures with public keys alone, as an auditor does. A key's id follows from the key, so it cannot be claimed for another.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { Fault } from '../../errors.ts'
import type { CheckSignature, PublicKey } from '../../ports.ts'

export const idOf = (key: KeyObject): string =>
  `sign-${createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)}`

export const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g

/** Every key in a text; anything around them is left alone. */
export function readPublicKeys(path: string, text: string): readonly PublicKey[] {
  const found = text.match(PEM) ?? []
  if (found.length === 0) throw new Fault('file_unreadable', { path, reason: 'it holds no public key in PEM form' })
  return found.map(pem => {
    try {
      const key = createPublicKey(pem)
      return { id: idOf(key), pem: pemOf(key) }
    } catch (error) {
      throw new Fault('file_unreadable', { path, reason: `a public key in it is not one: ${(error as Error).message}` }, { cause: error })
    }
  })
}

export function signatureChecker(keys: readonly PublicKey[]): CheckSignature {
  const byId = new Map(keys.map(({ pem }) => createPublicKey(pem)).map(key => [idOf(key), key]))
  return (bytes, { key: id, signature }) => {
    const key = byId.get(id)
    return key === undefined ? null : verify(null, bytes, key, Buffer.from(signature, 'base64url'))
  }
}
