// Folder: The manifest of a bundle, its signature file, and what an installation adds. It trusts no key and follows no link in a manifest.
// Reads and checks a bundle's manifest from its bytes alone. Reports all problems at once. Ignores signatures.
import semver from 'semver'
import { isDeeperThan } from '../digest/depth.ts'
import type { Json } from '../digest/digest.ts'
import { hasDuplicateKeys } from '../digest/duplicate-keys.ts'
import { hasSpelling } from '../digest/has-spelling.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { LibraryTemplate } from '../library/template.ts'
import { pinnedText, shown } from '../resolve/prompt-ref.ts'
import { interpretSchema, type SchemaError } from '../schema/interpret.ts'
import { readJson } from '../schema/json-text.ts'
import { pointerText } from '../schema/pointer.ts'
import { manifestFormat } from './format.ts'
import { bundledTemplateProblems } from './template-problems.ts'

/** pack.json, with `kind: "prompt"`. Its statements about signing are for people: no code trusts them. */
export interface BundleManifest {
  readonly name: string
  readonly version: string
  readonly kind: 'prompt'
  readonly description?: string
  readonly engines: { readonly openwop: string }
  /** Ranges by the name of a bundle. */
  readonly dependencies?: Readonly<Record<string, string>>
  readonly prompts: readonly LibraryTemplate[]
}

export interface BundleProblem {
  readonly code:
    | 'bundle_invalid'
    | 'pack_kind_invalid'
    | 'prompt_template_invalid'
    | 'prompt_pack_dependency_unresolvable'
    | 'bundle_unsigned'
    | 'bundle_key_unknown'
    | 'bundle_signature_invalid'
    | 'bundle_integrity_mismatch'
    | 'bundle_exists'
    | 'template_exists'
  readonly message: string
}

export interface ReadManifest {
  /** Null when it has not the form of one. */
  readonly manifest: BundleManifest | null
  readonly problems: readonly BundleProblem[]
}

export const MAX_BUNDLE_BYTES = 16 * 1024 * 1024
const MAX_DEPTH = 64
/** The supported versions of OpenWOP. */
export const OPENWOP_RANGE = '>=1.0.0 <2.0.0'
const OTHER_KINDS = ['nodes', 'chains', 'agents']

export const bundleProblem = (code: BundleProblem['code'], message: string): BundleProblem => ({ code, message })
const invalid = (message: string): BundleProblem => bundleProblem('bundle_invalid', message)
const unreadable = (problem: BundleProblem): ReadManifest => ({ manifest: null, problems: [problem] })

/** `maxBytes`: of one template's text. */
export function readManifest(bytes: Uint8Array, maxBytes: number): ReadManifest {
  if (bytes.length > MAX_BUNDLE_BYTES) return unreadable(invalid(`pack.json has ${bytes.length} bytes and may have ${MAX_BUNDLE_BYTES}`))
  const text = decode(bytes)
  if (text === null) return unreadable(invalid('pack.json is not valid UTF-8'))
  const read = readJson(text)
  if (!read.ok) return unreadable(invalid(`pack.json is not JSON: at character ${read.offset + 1}, ${read.message}`))
  const { value } = read
  if (isDeeperThan(value, MAX_DEPTH)) return unreadable(invalid(`pack.json is nested more than ${MAX_DEPTH} deep`))
  if (hasDuplicateKeys(text, value)) return unreadable(invalid('pack.json has a key twice in one object'))
  if (!hasSpelling(value)) return unreadable(invalid('pack.json holds an invalid number, or half a surrogate pair'))
  if (!isObject(value)) return unreadable(invalid('pack.json is not an object'))
  if (value.kind !== 'prompt') return unreadable(bundleProblem('pack_kind_invalid', 'its kind is not "prompt"'))
  return judge(value, maxBytes)
}

function judge(value: JsonObject, maxBytes: number): ReadManifest {
  const foreign = OTHER_KINDS.filter(key => Object.hasOwn(value, key))
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !foreign.includes(key)))
  const errors = formErrors(own).filter(({ keyword }) => keyword !== 'if')
  const prompts = Array.isArray(own.prompts) ? (own.prompts as readonly Json[]) : []
  const broken = new Set(errors.map(({ pointer }) => (pointer[0] === 'prompts' ? pointer[1] : undefined)))
  const sound = prompts.filter((_, index) => !broken.has(index)) as unknown as readonly LibraryTemplate[]
  const problems = [
    ...foreign.map(key => bundleProblem('pack_kind_invalid', `"${key}" stand beside its prompts: a bundle has prompts alone`)),
    ...errors.map(error => toProblem(error, prompts)),
    ...(errors.length === 0 ? rangeProblems(own as unknown as BundleManifest) : []),
    ...bundledTemplateProblems(sound, maxBytes).map(message => bundleProblem('prompt_template_invalid', message)),
  ]
  return { manifest: errors.length === 0 ? (own as unknown as BundleManifest) : null, problems }
}

const formErrors = interpretSchema(manifestFormat as unknown as Json)

function toProblem({ pointer, keyword, message }: SchemaError, prompts: readonly Json[]): BundleProblem {
  const [field, index, ...within] = pointer
  const text = keyword === 'additionalProperties' ? message.replace(/^Property (.*) does not match .*$/s, 'there is no field $1') : message
  if (field !== 'prompts' || typeof index !== 'number') return invalid(shown(`${pointer.join('/') || 'pack.json'}: ${text}`))
  return bundleProblem('prompt_template_invalid', shown(`${nameOf(prompts[index], index)}${pointerText(within)}: ${text}`))
}

/** The ref of a template, or its index when the ref is incomplete. */
function nameOf(template: Json | undefined, index: number): string {
  const { templateId, version } = isObject(template) ? template : {}
  return typeof templateId === 'string' && typeof version === 'string' ? pinnedText(templateId, version) : `prompts/${index}`
}

function rangeProblems({ version, engines, dependencies = {} }: BundleManifest): readonly BundleProblem[] {
  const wrong = Object.entries(dependencies).filter(([, range]) => semver.validRange(range) === null)
  return [
    ...(semver.valid(version) === null ? [invalid(`version "${version}" is not one of SemVer 2.0.0`)] : []),
    ...(speaksOurs(engines.openwop) ? [] : [invalid(`engines/openwop: "${engines.openwop}" includes no version ${OPENWOP_RANGE}`)]),
    ...wrong.map(([name, range]) => invalid(`dependencies/${name}: "${range}" is not a range of versions`)),
  ]
}

const speaksOurs = (range: string): boolean => semver.validRange(range) !== null && semver.intersects(range, OPENWOP_RANGE)

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
