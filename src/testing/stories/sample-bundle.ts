// Bundles of a third party: signed with node:crypto, by keys that a test trusts or does not.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readPublicKeys, signatureChecker } from '../../adapters/keys/public-keys.ts'
import type { BundleFiles, BundleTrust } from '../../engine/bundle/check-bundle.ts'

export interface Signer {
  readonly id: string
  readonly pem: string
  sign(bytes: Uint8Array): string
}

export function makeSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const id = `sign-${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`
  return {
    id,
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: bytes =>
      `${JSON.stringify({ algorithm: 'ed25519', key: id, signature: sign(null, bytes, privateKey).toString('base64url') }, null, 2)}\n`,
  }
}

export const trusting = (signers: readonly Signer[], more: Partial<BundleTrust> = {}): BundleTrust => ({
  check: signatureChecker(signers.flatMap(({ pem, id }) => readPublicKeys(id, pem))),
  integrity: null,
  allowUnsigned: false,
  maxTemplateBytes: 65_536,
  ...more,
})

export const prompt = (templateId: string, more: object = {}): object => ({
  templateId,
  version: '1.0.0',
  kind: 'system',
  text: `I am ${templateId}.`,
  ...more,
})

export const manifestOf = (name: string, version: string, prompts: readonly object[], more: object = {}): object => ({
  name,
  version,
  kind: 'prompt',
  engines: { openwop: '^1.0.0' },
  prompts,
  ...more,
})

export function bundleFiles(manifest: object, signer: Signer | null): BundleFiles {
  const bytes = new TextEncoder().encode(JSON.stringify(manifest))
  return { manifest: bytes, signature: signer === null ? null : signer.sign(bytes) }
}
