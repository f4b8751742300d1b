// Checks a bundle before it is opened: its form, its bytes, its signature. Installs nothing.
import { hasIntegrity, integrityOf } from '../../core/bundle/integrity.ts'
import { type BundleManifest, type BundleProblem, bundleProblem, readManifest } from '../../core/bundle/manifest.ts'
import { readSignature } from '../../core/bundle/signature.ts'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import type { Signature } from '../../core/record/checkpoint.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature } from '../../ports.ts'

/** The two files. Links to signatures elsewhere in pack.json are never followed. */
export interface BundleFiles {
  readonly manifest: Uint8Array
  /** Null when there is no pack.json.sig. */
  readonly signature: string | null
}

export interface BundleTrust {
  /** With the keys that the operator trusts, and no others. */
  readonly check: CheckSignature
  /** The digest it must have; null for any. */
  readonly integrity: string | null
  /** Bears a missing signature. Never a wrong one. */
  readonly allowUnsigned: boolean
  /** The limit of one template's text. */
  readonly maxTemplateBytes: number
}

export interface CheckedBundle {
  readonly digest: Digest
  readonly integrity: string
  /** Null when pack.json has not the form of one. */
  readonly manifest: BundleManifest | null
  /** Null unless a trusted key made it. */
  readonly signature: Signature | null
  readonly problems: readonly BundleProblem[]
}

export function checkBundle(files: BundleFiles, { check, integrity, allowUnsigned, maxTemplateBytes }: BundleTrust): CheckedBundle {
  const digest = digestBytes(files.manifest)
  const { manifest, problems } = readManifest(files.manifest, maxTemplateBytes)
  const signature = files.signature === null ? null : readSignature(files.signature)
  const distrust = files.signature === null && allowUnsigned ? null : distrustOf(files, signature, check)
  return {
    digest,
    integrity: integrityOf(digest),
    manifest,
    signature: distrust === null ? signature : null,
    problems: [
      ...(integrity === null || hasIntegrity(digest, integrity) ? [] : [mismatch(digest, integrity)]),
      ...(distrust === null ? [] : [distrust]),
      ...problems,
    ],
  }
}

/** One with nothing wrong about it, and the bytes of its pack.json: what can be installed. */
export interface SoundBundle extends CheckedBundle {
  readonly bytes: Uint8Array
  readonly manifest: BundleManifest
}

/** Refuses every other. */
export function soundBundle(files: BundleFiles, trust: BundleTrust): SoundBundle {
  const checked = checkBundle(files, trust)
  const { manifest, problems } = checked
  if (manifest === null || problems.length > 0) throw bundleRefused(manifest, problems)
  return { ...checked, manifest, bytes: files.manifest }
}

/** Why the signature is not trusted, or null if it is. */
function distrustOf({ manifest, signature: file }: BundleFiles, signature: Signature | null, check: CheckSignature): BundleProblem | null {
  if (file === null) return bundleProblem('bundle_unsigned', 'there is no pack.json.sig beside pack.json')
  if (signature === null) return bundleProblem('bundle_signature_invalid', 'pack.json.sig is not as "onbook bundle sign" writes it')
  const made = check(manifest, signature)
  if (made === null) return bundleProblem('bundle_key_unknown', `it is signed by ${signature.key}, which is not among the trust roots`)
  return made ? null : bundleProblem('bundle_signature_invalid', `pack.json is not what ${signature.key} has signed`)
}

const mismatch = (digest: Digest, wanted: string): BundleProblem =>
  bundleProblem('bundle_integrity_mismatch', `pack.json is ${digest} (${integrityOf(digest)}), not ${wanted}`)

/** A longer list would not be read. */
const MOST_LISTED = 100

export function bundleRefused(manifest: BundleManifest | null, problems: readonly BundleProblem[]): Fault {
  const listed = problems.slice(0, MOST_LISTED)
  const more = problems.length > MOST_LISTED ? `\n  and ${problems.length - MOST_LISTED} more` : ''
  return new Fault('bundle_refused', {
    what: manifest === null ? 'This bundle' : `${manifest.name} ${manifest.version}`,
    problem: `${listed.map(({ code, message }) => `\n  ${code}: ${message}`).join('')}${more}`,
    problems: listed,
  })
}
