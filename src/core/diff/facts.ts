// Compares the named facts of two sides. The caller loads the values.
import { canonicalJson, type Digest, digestJson, type Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { textDifference } from '../replay/divergence.ts'
import type { Decision, Named } from './difference.ts'

/** Something that was decided. Two are alike when their names are, and the same when their hashes are. */
export interface Fact extends Named {
  readonly value: Json
  /** The hash of everything that is compared, when that is more than the value. */
  readonly hash?: Digest
  /** The question that the fact answers. The fact is compared only when the other side has the same question. */
  readonly alike?: Json
  /** The object that contains it. */
  readonly from?: Digest
  /** The fact replaces all content of an erased object. */
  readonly erased?: true
}

export const erasedFact = (named: Named, from: Digest): Fact => ({ ...named, value: 'erased', hash: from, from, erased: true })

export const hashOf = ({ hash, value }: Fact): Digest => hash ?? digestJson(value)

export const keyOf = ({ what, kind, template, variable, name, field, call, path }: Named): string =>
  JSON.stringify([what, kind, template, variable, name, field, call, path])

/** In the order of the one, then of the other. */
export function compareFacts(a: readonly Fact[], b: readonly Fact[]): readonly Decision[] {
  const [ours, theirs] = [byKey(besideErased(a, b)), byKey(besideErased(b, a))]
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap(key => {
    const [one, other] = [ours.get(key) ?? null, theirs.get(key) ?? null]
    if (one !== null && other !== null && hashOf(one) === hashOf(other)) return []
    return (one ?? other)!.alike !== undefined && (one === null || other === null) ? [] : [decisionOf(one, other)]
  })
}

/** Facts whose counterpart is erased are compared by the digest of their object. */
function besideErased(facts: readonly Fact[], others: readonly Fact[]): readonly Fact[] {
  const erased = new Set(others.filter(fact => fact.erased).map(groupOf))
  if (erased.size === 0) return facts
  return facts.map(fact => {
    if (fact.erased || fact.from === undefined || !erased.has(groupOf(fact))) return fact
    const { what, kind, template, from } = fact
    const named = { what, ...(kind === undefined ? {} : { kind }), ...(template === undefined ? {} : { template }) }
    return { ...named, value: 'not compared', hash: from, from }
  })
}

const groupOf = ({ what, kind, template }: Named): string => JSON.stringify([what, kind, template])

/** The last of several facts with the same name wins. */
const byKey = (facts: readonly Fact[]): ReadonlyMap<string, Fact> =>
  new Map(facts.map(fact => [`${keyOf(fact)} ${canonicalJson(fact.alike ?? null)}`, fact]))

function decisionOf(one: Fact | null, other: Fact | null): Decision {
  const { value: _, hash: __, alike: ___, from: ____, erased: _____, layer, ...named } = (one ?? other)!
  const isSameLayer = layer !== undefined && (one ?? other)!.layer === (other ?? one)!.layer
  return { ...named, ...(isSameLayer ? { layer } : {}), ...shownPair(one, other) }
}

const LONG = 300

function shownPair(one: Fact | null, other: Fact | null): { readonly a: Json; readonly b: Json } {
  const [a, b] = [one?.value ?? null, other?.value ?? null]
  if (one === null || other === null) return { a: clipped(a), b: clipped(b) }
  // They read the same, and are not: only their names tell.
  if (canonicalJson(a) === canonicalJson(b)) return { a: withHash(a, hashOf(one)), b: withHash(b, hashOf(other)) }
  if (!isObject(a) || !isObject(b)) return cutPair(a, b)
  const spelledAt = (side: JsonObject, key: string): string | null => (Object.hasOwn(side, key) ? canonicalJson(side[key]!) : null)
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(key => spelledAt(a, key) !== spelledAt(b, key))
  const pairs = keys.map(key => [key, cutPair(a[key] ?? null, b[key] ?? null)] as const)
  const shown = (side: JsonObject, which: 'a' | 'b'): Json =>
    Object.fromEntries(pairs.filter(([key]) => Object.hasOwn(side, key)).map(([key, pair]) => [key, pair[which]]))
  return { a: shown(a, 'a'), b: shown(b, 'b') }
}

const spelled = (value: Json): string => (typeof value === 'string' ? value : canonicalJson(value))
const isLong = (value: Json, most: number): boolean => value !== null && spelled(value).length > most
const clipped = (value: Json, most = LONG): Json => (isLong(value, most) ? windowAt(spelled(value), 0, most) : value)
const withHash = (value: Json, hash: Digest): Json => (value === null ? hash : `${spelled(clipped(value))} (${hash})`)

/** Both, cut to where they differ when one of them is longer than so many characters. */
export function cutPair(a: Json, b: Json, most = LONG): { readonly a: Json; readonly b: Json } {
  if (a === null || b === null || !(isLong(a, most) || isLong(b, most))) return { a: clipped(a, most), b: clipped(b, most) }
  return cutTexts(spelled(a), spelled(b), most)
}

/** Cuts both texts at the same place, with a little context before the difference. */
export function cutTexts(a: string, b: string, most: number): { readonly a: string; readonly b: string } {
  const { at } = textDifference(a, b)
  const start = Math.max(0, Math.min(at - Math.floor(most / 4), Math.max(a.length, b.length) - most))
  return { a: windowAt(a, start, most), b: windowAt(b, start, most) }
}

function windowAt(text: string, start: number, most: number): string {
  const end = start + most
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? '…' : ''}`
}
