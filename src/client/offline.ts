// A snapshot as a source. It has no libraries: a ref that names one is never answered from here.
import type { LabelState } from '../wire/onbook/labels.ts'
import type { PromptTemplate } from '../wire/onbook/prompts.ts'
import type { Snapshot } from '../wire/onbook/snapshot.ts'
import { clientError } from './client-error.ts'
import type { Instant } from './instant.ts'

export interface Offline {
  readonly at: Instant | null
  version(templateId: string, version: string): PromptTemplate | null
  /** The newest that the snapshot has. */
  latest(templateId: string): PromptTemplate | null
  labels(templateId: string): readonly LabelState[] | null
}

export function offlineSource(snapshot: Snapshot): Offline {
  const { templates, labels, takenAt } = snapshot
  if (!Array.isArray(templates) || !Array.isArray(labels))
    throw clientError('snapshot_invalid', 'A snapshot is an object with the lists "templates" and "labels".')
  const wall = takenAt === undefined ? Number.NaN : Date.parse(takenAt)
  return {
    at: Number.isNaN(wall) ? null : { wall, steady: performance.now() },
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

/** SemVer 2.0, section 11. */
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
