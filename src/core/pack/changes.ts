// Lists the changes between two versions of a pack, with the version bump that each needs.
import { canonicalJson, type Json } from '../digest/digest.ts'
import type { Pack, Variable } from './pack.ts'
import { isNeeded } from './values.ts'

export type Bump = 'patch' | 'minor' | 'major'

export interface Change {
  readonly bump: Bump
  /** Ends the sentence "this version …". */
  readonly what: string
  readonly pointer: readonly (string | number)[]
}

const SIZE: Readonly<Record<Bump, number>> = { patch: 1, minor: 2, major: 3 }

export const isSmaller = (a: Bump, b: Bump): boolean => SIZE[a] < SIZE[b]

export const biggest = (changes: readonly Change[]): Change | null =>
  changes.reduce<Change | null>((most, change) => (most === null || isSmaller(most.bump, change.bump) ? change : most), null)

export function changesBetween(before: Pack, after: Pack): readonly Change[] {
  return [
    ...schemaChanges(before, after),
    ...variableChanges(before.variables ?? [], after.variables ?? []),
    ...exampleChanges(before, after),
    ...listChanges('constraints', before.constraints ?? [], after.constraints ?? []),
    ...listChanges('refusalRules', before.refusalRules ?? [], after.refusalRules ?? []),
    ...(before.systemPrompt === after.systemPrompt
      ? []
      : [{ bump: 'patch' as const, what: 'rewords systemPrompt', pointer: ['systemPrompt'] }]),
  ]
}

function* schemaChanges(before: Pack, after: Pack): Iterable<Change> {
  for (const field of ['inputSchema', 'outputSchema'] as const) {
    if (before[field] !== after[field]) yield { bump: 'major', what: `names another ${field}`, pointer: [field] }
  }
}

function* variableChanges(before: readonly Variable[], after: readonly Variable[]): Iterable<Change> {
  const [earlier, later] = [byName(before), byName(after)]
  for (const old of before) {
    if (!later.has(old.name)) yield { bump: 'major', what: `removes the variable "${old.name}"`, pointer: ['variables'] }
  }
  for (const [index, variable] of after.entries()) {
    const old = earlier.get(variable.name)
    const pointer = ['variables', index]
    const needed = isNeeded(variable)
    if (old === undefined) {
      yield needed
        ? { bump: 'major', what: `adds the required variable "${variable.name}"`, pointer }
        : { bump: 'minor', what: `adds the optional variable "${variable.name}"`, pointer }
    } else if (old.type !== variable.type) {
      yield { bump: 'major', what: `makes "${variable.name}" ${variable.type} instead of ${old.type}`, pointer }
    } else if (needed && !isNeeded(old)) {
      yield { bump: 'major', what: `makes "${variable.name}" required`, pointer }
    } else if (!same(old.default ?? null, variable.default ?? null)) {
      yield { bump: 'minor', what: `changes the default of "${variable.name}"`, pointer }
    }
  }
}

function* exampleChanges(before: Pack, after: Pack): Iterable<Change> {
  const [old, now] = [before.examples ?? [], after.examples ?? []]
  const [earlier, later] = [byName(old), byName(now)]
  for (const { name } of old) if (!later.has(name)) yield { bump: 'minor', what: `removes the example "${name}"`, pointer: ['examples'] }
  for (const [index, example] of now.entries()) {
    const before = earlier.get(example.name)
    const pointer = ['examples', index]
    if (before === undefined) yield { bump: 'minor', what: `adds the example "${example.name}"`, pointer }
    else if (!same(before as unknown as Json, example as unknown as Json))
      yield { bump: 'patch', what: `changes the example "${example.name}"`, pointer }
  }
}

function* listChanges(field: 'constraints' | 'refusalRules', before: readonly string[], after: readonly string[]): Iterable<Change> {
  const word = field === 'constraints' ? 'constraint' : 'refusal rule'
  const [earlier, later] = [new Set(before), new Set(after)]
  for (const [index, text] of after.entries())
    if (!earlier.has(text)) yield { bump: 'minor', what: `adds or rewords the ${word} "${text}"`, pointer: [field, index] }
  for (const text of before)
    if (!later.has(text)) yield { bump: 'minor', what: `removes or rewords the ${word} "${text}"`, pointer: [field] }
}

/** The first of two items with the same name wins. */
const byName = <T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.toReversed().map(item => [item.name, item]))

const same = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b)
