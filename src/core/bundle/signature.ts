// Reads pack.json.sig, the signature of the bytes of pack.json. It names a key and never contains one.
import { jsonFile } from '../digest/indented-json.ts'
import { isObject } from '../digest/is-object.ts'
import type { Signature } from '../record/checkpoint.ts'
import { readJson } from '../schema/json-text.ts'

/** schemas/bundle-signature.schema.json is printed from this. */
export const signatureFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/bundle-signature.json',
  title: 'Signature of a bundle',
  description: 'pack.json.sig: an Ed25519 signature over the exact bytes of the pack.json beside it.',
  type: 'object',
  additionalProperties: false,
  required: ['algorithm', 'key', 'signature'],
  properties: {
    algorithm: { const: 'ed25519' },
    key: {
      type: 'string',
      pattern: '^sign-[0-9a-f]{16}$',
      description: 'sign- and 16 hex digits of the sha256 of the public key (SPKI, DER).',
    },
    // 64 bytes, in the one spelling whose last bits are zero.
    signature: { type: 'string', pattern: '^[A-Za-z0-9_-]{85}[AQgw]$', description: 'base64url, without padding.' },
  },
} as const

export const printSignature = ({ key, signature }: Signature): string => jsonFile({ algorithm: 'ed25519', key, signature })

/** Null unless the text is byte for byte the output of `printSignature`: a signature has one spelling. */
export function readSignature(text: string): Signature | null {
  const read = readJson(text)
  if (!read.ok || !isObject(read.value)) return null
  const { key, signature } = read.value
  if (typeof key !== 'string' || typeof signature !== 'string') return null
  const { properties } = signatureFormat
  if (!new RegExp(properties.key.pattern).test(key) || !new RegExp(properties.signature.pattern).test(signature)) return null
  return printSignature({ key, signature }) === text ? { key, signature } : null
}
