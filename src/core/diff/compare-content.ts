// Compares two templates, two packs, or two files of any kind: decisions, texts, and what the change means for users of the content.
import { type Digest, digestText, type Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import type { LibraryTemplate } from '../library/template.ts'
import { type Bump, biggest, type Change, changesBetween } from '../pack/changes.ts'
import { type Pack, readPack } from '../pack/pack.ts'
import { readDocument } from '../workflow/read-document.ts'
import { compareDocuments } from './compare-documents.ts'
import type { Decision, Meaning, Named, TextChange, What } from './difference.ts'
import { compareFacts, type Fact } from './facts.ts'
import { textHunks } from './text-hunks.ts'

export interface ComparedContent {
  readonly decisions: readonly Decision[]
  readonly texts: readonly TextChange[]
  readonly means: readonly Meaning[]
}

export function compareTemplates(a: LibraryTemplate, b: LibraryTemplate): ComparedContent {
  return { decisions: compareFacts(templateFacts(a), templateFacts(b)), texts: compareText({ block: 'text' }, a.text, b.text), means: [] }
}

function templateFacts({
  templateId,
  version: _,
  text: __,
  kind,
  variables = [],
  meta,
  modelHints,
  ...rest
}: LibraryTemplate): readonly Fact[] {
  return [
    { what: 'template', value: `prompt:${templateId}` },
    { what: 'kind', value: kind },
    ...variables.map(({ name, ...declaration }): Fact => ({ what: 'variable', variable: name, value: declaration as Json })),
    ...fields('meta', { ...rest, ...meta, ...modelHints }),
  ]
}

const fields = (what: Fact['what'], object: object): readonly Fact[] =>
  Object.entries(object).map(([name, value]) => ({ what, name, value: value as Json }))

/** The template of a pack, without the other fields. */
export const templateOf = ({ agentId, version, systemPrompt, variables = [] }: Pack): LibraryTemplate => ({
  templateId: agentId,
  version,
  kind: 'system',
  text: systemPrompt,
  variables: variables.map(({ name, type, required = false, default: value, description }) => ({
    name,
    type,
    required,
    ...(value === undefined ? {} : { defaultValue: value }),
    ...(description === undefined ? {} : { description }),
  })),
})

export function comparePacks(a: Pack, b: Pack, named: Pick<Named, 'path'> = {}): ComparedContent {
  const decisions = compareFacts(packFacts(a, named), packFacts(b, named))
  const where = named.path === undefined ? { block: 'text' as const } : named
  return { decisions, texts: compareText(where, a.systemPrompt, b.systemPrompt), means: packMeans(a, b, named.path) }
}

function packFacts(
  { agentId, version, meta = {}, variables = [], examples = [], ...pack }: Pack,
  named: Pick<Named, 'path'>,
): readonly Fact[] {
  const { inputSchema, outputSchema, constraints = [], refusalRules = [] } = pack
  const facts: readonly Fact[] = [
    ...fields('pack', { agentId, version }),
    ...variables.map(({ name, ...declaration }): Fact => ({ what: 'variable', variable: name, value: declaration as Json })),
    ...fields('schema', { inputSchema, outputSchema }),
    ...examples.map(({ name, ...content }): Fact => ({ what: 'example', name, value: content as unknown as Json })),
    ...fields('rule', { constraints, refusalRules }),
    ...fields('meta', meta),
  ]
  return facts.map(fact => ({ ...fact, ...named }))
}

const SIZES: readonly Bump[] = ['major', 'minor', 'patch']

/** The changes from A to B, biggest first, by the criteria of the rule `version-bump`. */
export function packMeans(a: Pack, b: Pack, path?: string): readonly Meaning[] {
  const changes = changesBetween(a, b)
  const named = { what: 'pack', name: b.agentId, ...(path === undefined ? {} : { path }) } as const
  const meaningOf = (change: Change): Meaning => ({ ...named, bump: change.bump, change: change.what })
  return biggest(changes) === null ? [] : SIZES.flatMap(bump => changes.filter(change => change.bump === bump)).map(meaningOf)
}

/**
 * Compares two files by their content. @param file its name, which says how to read it; `named` has its path when it is
 * one of several
 */
export function compareFiles(named: Named, file: string, a: string, b: string): ComparedContent {
  const where = named.path === undefined ? { block: 'text' as const } : { path: named.path }
  const [one, other] = [packIn(file, a), packIn(file, b)]
  const packs = one === null || other === null ? null : comparePacks(one, other, named.path === undefined ? {} : { path: named.path })
  // A comment or another spelling is not a decision, but the files still differ.
  if (packs !== null && (a === b || packs.decisions.length + packs.texts.length > 0)) return packs
  const texts = compareText(where, a, b)
  const [before, after] = [documentIn(file, a), documentIn(file, b)]
  const decisions = before === null || after === null ? [] : compareDocuments(named, before, after)
  const changed = { ...named, a: digestText(a), b: digestText(b) }
  return { decisions: decisions.length === 0 && a !== b ? [changed] : decisions, texts, means: [] }
}

/** Compares binary files by their digests alone. */
export function compareBytes(named: Named, a: Digest, b: Digest): ComparedContent {
  if (a === b) return { decisions: [], texts: [], means: [] }
  const where = named.path === undefined ? { block: 'text' as const } : { path: named.path }
  return { decisions: [{ ...named, a, b }], texts: [{ ...where, a, b, hunks: null, why: 'no_text' }], means: [] }
}

/** The kind of a file at any path, from its content. */
export function whatIn(file: string, text: string): What {
  const document = documentIn(file, text)
  if (!isObject(document)) return 'file'
  return typeof document.agentId === 'string' ? 'agent' : Array.isArray(document.nodes) ? 'workflow' : 'file'
}

export const packIn = (path: string, text: string): Pack | null => (/\.ya?ml$/.test(path) ? readPack(text).pack : null)

function documentIn(path: string, text: string): Json {
  if (!/\.(?:ya?ml|json)$/.test(path)) return null
  const read = readDocument(path, text)
  return read.ok ? read.value : null
}

const compareText = (where: Pick<TextChange, 'block' | 'path'>, a: string, b: string): readonly TextChange[] =>
  a === b ? [] : [{ ...where, a: digestText(a), b: digestText(b), ...textHunks(a, b) }]
