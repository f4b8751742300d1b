import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { bundleFiles, makeSigner, manifestOf, prompt, type Signer, trusting } from '../../testing/stories/sample-bundle.ts'
import { type BundleFiles, checkBundle } from './check-bundle.ts'

const [acme, other] = [makeSigner(), makeSigner()]
const MANIFEST = manifestOf('vendor.acme.prompts', '1.0.0', [prompt('writer')])
const SIGNED = bundleFiles(MANIFEST, acme)
const UNSIGNED = bundleFiles(MANIFEST, null)
const sri = (bytes: Uint8Array) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`

const codes = (files: BundleFiles, trust = trusting([acme, other])) => checkBundle(files, trust).problems.map(({ code }) => code)

describe('a bundle', () => {
  it('is believed when a key that is trusted signed its bytes', () => {
    expect(checkBundle(SIGNED, trusting([other, acme]))).toMatchObject({
      problems: [],
      signature: { key: acme.id },
      manifest: MANIFEST,
      integrity: sri(SIGNED.manifest),
    })
  })

  const swapped = (signer: Signer, named: Signer): string => signer.sign(SIGNED.manifest).replace(signer.id, named.id)
  const refused: readonly [why: string, files: BundleFiles, codes: readonly string[]][] = [
    ['without a signature', UNSIGNED, ['bundle_unsigned']],
    ['with an empty signature', { ...SIGNED, signature: '' }, ['bundle_signature_invalid']],
    ['signed by somebody, who says to be another', { ...SIGNED, signature: swapped(other, acme) }, ['bundle_signature_invalid']],
    ['signed by nobody known', bundleFiles(MANIFEST, makeSigner()), ['bundle_key_unknown']],
    ['with the signature of another bundle', { ...SIGNED, signature: acme.sign(Uint8Array.of(1)) }, ['bundle_signature_invalid']],
    ['that brings the key it is signed with', withOwnKey(), ['bundle_key_unknown']],
    ['signed, but wrong', bundleFiles({ ...MANIFEST, nodes: [] }, acme), ['pack_kind_invalid']],
  ]
  it.each(refused)('%s is refused', (_, files, expected) => expect(codes(files)).toEqual(expected))

  it.each(refused.filter(([why]) => why !== 'without a signature'))(
    '%s is refused, also where unsigned ones are allowed',
    (_, files, expected) => expect(codes(files, trusting([acme, other], { allowUnsigned: true }))).toEqual(expected),
  )

  it('without a signature is taken where that is allowed, and nobody is named', () => {
    expect(checkBundle(UNSIGNED, trusting([], { allowUnsigned: true }))).toMatchObject({ problems: [], signature: null })
  })

  it('has the integrity that was pinned, in either spelling, or is refused', () => {
    const { digest, integrity } = checkBundle(SIGNED, trusting([acme]))
    for (const pinned of [digest, integrity]) expect(codes(SIGNED, trusting([acme], { integrity: pinned }))).toEqual([])
    for (const pinned of [digest.replace(/.$/, end => (end === '0' ? '1' : '0')), sri(Uint8Array.of(1))])
      expect(codes(SIGNED, trusting([acme], { integrity: pinned }))).toEqual(['bundle_integrity_mismatch'])
  })

  it('with any byte changed, of pack.json or of its signature, is refused', () => {
    const signature = new TextEncoder().encode(SIGNED.signature!)
    fc.assert(
      fc.property(fc.boolean(), fc.nat(), fc.integer({ min: 1, max: 255 }), (inManifest, at, flip) => {
        const bytes = Uint8Array.from(inManifest ? SIGNED.manifest : signature)
        bytes[at % bytes.length]! ^= flip
        const files = inManifest ? { ...SIGNED, manifest: bytes } : { ...SIGNED, signature: new TextDecoder().decode(bytes) }
        const found = codes(files)
        expect(found.some(code => code === 'bundle_signature_invalid' || code === 'bundle_key_unknown')).toBe(true)
      }),
      { numRuns: runs(2_000) },
    )
  })

  it('with anything after its end is refused', () => {
    const longer = Uint8Array.from([...SIGNED.manifest, 0x0a])
    expect(codes({ ...SIGNED, manifest: longer })).toEqual(['bundle_signature_invalid'])
    expect(codes({ ...SIGNED, signature: `${SIGNED.signature}\n` })).toEqual(['bundle_signature_invalid'])
  })
})

/** As a thief would: a key of one's own, named by the manifest. */
function withOwnKey(): BundleFiles {
  const thief = makeSigner()
  const signing = { publicKeyRef: thief.pem, signatureRef: 'pack.json.sig', method: 'manual' }
  return bundleFiles({ ...MANIFEST, signing }, thief)
}
