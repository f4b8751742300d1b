// Reads prompts from a snapshot or a bundle instead of a host. Does not check the signature of a bundle: the caller does that first.
import type { Bundle } from '../wire/onbook/bundle.ts'
import type { LabelState } from '../wire/onbook/labels.ts'
import type { PromptTemplate } from '../wire/onbook/prompts.ts'
import type { Snapshot } from '../wire/onbook/snapshot.ts'
import { clientError } from './client-error.ts'
import type { Instant } from './instant.ts'

export interface Offline {
  readonly at: Instant | null
  /** The library of the bundle; null for a snapshot, which holds answers to refs without a library. */
  readonly libraryId: string | null
  version(templateId: string, version: string): PromptTemplate | null
  /** The newest version in the file. */
  latest(templateId: string): PromptTemplate | null
  labels(templateId: string): readonly LabelState[] | null
}

/** Accepts the parsed JSON, or its text. */
export function offlineSource(given: Snapshot | Bundle | string): Offline {
  const file = typeof given === 'string' ? parse(given) : given
  const { templates, labels, takenAt, libraryId } = isBundle(file) ? toSnapshot(file) : { ...file, libraryId: null }
  if (!Array.isArray(templates) || !Array.isArray(labels)) throw invalid()
  const wall = takenAt === undefined ? Number.NaN : Date.parse(takenAt)
  return {
    at: Number.isNaN(wall) ? null : { wall, steady: performance.now() },
    libraryId,
    version: (templateId, version) => templates.find(one => one.templateId === templateId && one.version === version) ?? null,
    latest: templateId =>
      templates
        .filter(one => one.templateId === templateId)
        .reduce<PromptTemplate | null>(
          (best, one) => (best === null || compareVersions(one.version, best.version) >= 0 ? one : best),
          null,
        ),
    labels(templateId) {
      const found = labels.filter(one => one.templateId === templateId)
      return found.length === 0 ? null : found.map(({ label, version }) => ({ label, version }))
    },
  }
}

const isBundle = (file: Snapshot | Bundle): file is Bundle => (file as Partial<Bundle> | null)?.kind === 'prompt'

/** A bundle has no creation time and no labels. */
const toSnapshot = ({ name, version, prompts }: Bundle): Snapshot & { readonly libraryId: string } => {
  if (!Array.isArray(prompts) || typeof name !== 'string') throw invalid()
  const meta = { source: 'pack', packName: name, packVersion: version } as const
  return { templates: prompts.map(prompt => ({ ...prompt, meta: { ...prompt.meta, ...meta } })), labels: [], libraryId: name }
}

function parse(text: string): Snapshot | Bundle {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(cause)
  }
}

const invalid = (cause?: unknown) =>
  clientError('snapshot_invalid', 'This is neither a snapshot, with the lists "templates" and "labels", nor a bundle\'s pack.json.', {
    cause,
  })

/** Orders versions by SemVer 2.0, section 11. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  const byNumbers = compareLists(left.numbers, right.numbers)
  if (byNumbers !== 0 || left.pre === right.pre) return byNumbers
  if (left.pre === null || right.pre === null) return left.pre === null ? 1 : -1
  return compareLists(left.pre, right.pre)
}

interface Parts {
  readonly numbers: readonly string[]
  readonly pre: readonly string[] | null
}

function partsOf(version: string): Parts {
  const [, numbers = '', pre] = /^([\d.]+)(?:-([^+]*))?/.exec(version) ?? []
  return { numbers: numbers.split('.'), pre: pre?.split('.') ?? null }
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = compareIdentifiers(one, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareIdentifiers(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (aIsNumber && bIsNumber) return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
