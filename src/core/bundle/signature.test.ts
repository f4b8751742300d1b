import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digestBytes } from '../digest/digest.ts'
import { hasIntegrity, integrityOf, isIntegrity } from './integrity.ts'
import { printSignature, readSignature } from './signature.ts'

const anySignature = fc.record({
  key: fc.uint8Array({ minLength: 8, maxLength: 8 }).map(bytes => `sign-${Buffer.from(bytes).toString('hex')}`),
  signature: fc.uint8Array({ minLength: 64, maxLength: 64 }).map(bytes => Buffer.from(bytes).toString('base64url')),
})

it('a signature is read as it was printed, and in no other spelling', () => {
  const published = new Ajv2020().compile(JSON.parse(readFileSync('schemas/bundle-signature.schema.json', 'utf8')))
  fc.assert(
    fc.property(anySignature, fc.nat(), fc.integer({ min: 1, max: 255 }), (signature, at, flip) => {
      const text = printSignature(signature)
      expect(readSignature(text)).toEqual(signature)
      expect(published(JSON.parse(text))).toBe(true)
      const bytes = Buffer.from(text)
      bytes[at % bytes.length]! ^= flip
      const read = readSignature(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
      // Where it can still be read it names another key or another signature, down to the last bit.
      if (read !== null)
        expect([read.key, Buffer.from(read.signature, 'base64url').toString('hex')]).not.toEqual([
          signature.key,
          Buffer.from(signature.signature, 'base64url').toString('hex'),
        ])
    }),
    { numRuns: 2_000 },
  )
})

const SIGNATURE = { key: `sign-${'0'.repeat(16)}`, signature: 'A'.repeat(86) }
it.each([
  ['nothing', ''],
  ['a list', '[]'],
  ['another order', JSON.stringify({ key: SIGNATURE.key, algorithm: 'ed25519', signature: SIGNATURE.signature }, null, 2)],
  ['another algorithm', printSignature(SIGNATURE).replace('ed25519', 'none')],
  ['a key beside it', printSignature(SIGNATURE).replace('"key"', '"publicKey": "",\n  "key"')],
  ['unused bits', printSignature(SIGNATURE).replace('A"', 'B"')],
  ['padding', printSignature(SIGNATURE).replace('A"', 'A=="')],
])('%s is no signature', (_, text) => expect(readSignature(text)).toBeNull())

it('integrity is what browsers and package managers write', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      const digest = digestBytes(bytes)
      const sri = `sha256-${createHash('sha256').update(bytes).digest('base64')}`
      expect(integrityOf(digest)).toBe(sri)
      expect([sri, digest].every(text => isIntegrity(text) && hasIntegrity(digest, text))).toBe(true)
    }),
  )
  const [one, other] = [digestBytes(Uint8Array.of(1)), digestBytes(Uint8Array.of(2))]
  expect([hasIntegrity(one, other), hasIntegrity(one, integrityOf(other))]).toEqual([false, false])
  expect(['', 'sha512-abc', 'sha256:abc', `${integrityOf(one)} ${integrityOf(one)}`].filter(isIntegrity)).toEqual([])
})
