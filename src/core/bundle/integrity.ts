// The digest of a bundle's bytes in the two spellings that installers pin: ours, and that of Subresource Integrity.
import { type Digest, hexOf, isDigest } from '../digest/digest.ts'

const SRI = /^sha256-[A-Za-z0-9+/]{43}=$/

/** `sha256-` and the hash in base64. */
export function integrityOf(digest: Digest): string {
  const pairs = hexOf(digest).match(/../g)!
  return `sha256-${btoa(String.fromCharCode(...pairs.map(pair => Number.parseInt(pair, 16))))}`
}

export const isIntegrity = (text: string): boolean => isDigest(text) || SRI.test(text)
export const hasIntegrity = (digest: Digest, wanted: string): boolean => wanted === digest || wanted === integrityOf(digest)
