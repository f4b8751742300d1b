// Values and texts that a host should refuse, or at least survive: something that is right, with one thing done to it.
import fc from 'fast-check'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'

const nested = (depth: number): Json => Array.from({ length: depth }).reduce<Json>(inner => [inner], 0)

/** A placeholder for a number that JSON can write and no value can hold. */
const BEYOND = '<1e999>'

/** A value as text, with numbers in it that no value can have. */
export const textOf = (value: Json): string => JSON.stringify(value).replaceAll(`"${BEYOND}"`, '1e999')

const ODD_VALUES: readonly Json[] = [
  BEYOND,
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  [],
  {},
  [[[]]],
  'x'.repeat(70_000),
  nested(63),
  nested(500),
  '\u0000',
  '\ufeff',
  '\ud800',
  '\udc00x',
  '__proto__',
  '../../etc/passwd',
  '{{#each this}}{{this}}{{/each}}',
  '</UNTRUSTED>',
  `sha256:${'0'.repeat(64)}`,
]
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '\u0000',
  '\ud800',
  'workspaceId',
  'x'.repeat(5_000),
]

/** Where in a value something can be done: the keys that lead there. */
function* placesIn(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  yield path
  if (typeof value === 'object' && value !== null) for (const [key, inner] of Object.entries(value)) yield* placesIn(inner, [...path, key])
}

/** The value with what is at a place made another; undefined takes it away. */
function changed(value: Json, [key, ...rest]: readonly string[], change: (old: Json) => Json | undefined): Json | undefined {
  if (key === undefined) return change(value)
  const entries = Object.entries(value as Record<string, Json>).flatMap(([name, inner]): [string, Json][] => {
    const next = name === key ? changed(inner, rest, change) : inner
    return next === undefined ? [] : [[name, next]]
  })
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : ownEntries(entries)
}

/** Also `__proto__` is a key like any other. */
const ownEntries = (entries: readonly (readonly [string, Json])[]): Json => Object.fromEntries(entries)

const anyChange: fc.Arbitrary<(old: Json) => Json | undefined> = fc.oneof(
  fc.constantFrom(...ODD_VALUES).map(odd => () => odd),
  fc.constant(() => undefined),
  fc.constant((old: Json) => [old]),
  fc.constant((old: Json) => String(typeof old === 'object' ? JSON.stringify(old) : old)),
  fc.tuple(fc.constantFrom(...ODD_KEYS), fc.constantFrom(...ODD_VALUES)).map(
    ([key, odd]) =>
      (old: Json) =>
        isObject(old) ? ownEntries([...Object.entries(old), [key, odd]]) : odd,
  ),
)

/** One to three things done to the value, anywhere in it. */
export const damagedValue = (value: Json): fc.Arbitrary<Json> =>
  fc.array(fc.tuple(fc.nat(), anyChange), { minLength: 1, maxLength: 3 }).map(changes =>
    changes.reduce<Json>((now, [where, change]) => {
      const places = [...placesIn(now)]
      return changed(now, places[where % places.length]!, change) ?? null
    }, value),
  )

type Damage = (text: string, at: number) => Uint8Array | string

const cut = (text: string, at: number, put: string, drop = 0): string => text.slice(0, at) + put + text.slice(at + drop)

/** An entry put into the object that is open there. */
function entered(text: string, at: number, entry: string): string {
  const open = Math.max(0, text.lastIndexOf('{', at))
  return cut(text, open + 1, text[open + 1] === '}' ? entry : `${entry},`)
}

/** Damages of a JSON text that its value does not show. */
const TEXT_DAMAGES: Readonly<Record<string, Damage>> = {
  'a byte order mark': text => `\ufeff${text}`,
  'a NUL somewhere': (text, at) => cut(text, at, '\u0000'),
  'an end too early': (text, at) => text.slice(0, at),
  'something after the end': text => `${text}{}`,
  'a byte that is no UTF-8': (text, at) =>
    Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff]), Buffer.from(text.slice(at))]),
  'an overlong slash': text => Buffer.concat([Buffer.from(`${text.slice(0, -1)},"`), Buffer.from([0xc0, 0xaf]), Buffer.from('":1}')]),
  'half a surrogate pair in UTF-8': text =>
    Buffer.concat([Buffer.from(`${text.slice(0, -1)},"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('":1}')]),
  'UTF-16': text => Buffer.from(text, 'utf16le'),
  'half a surrogate pair as an escape': (text, at) => entered(text, at, '"\\udead":0'),
  'a key twice': text => text.replace(/\{("(?:[^"\\]|\\.)*")/, '{$1:null,$1'),
  'a key twice, spelled two ways': text =>
    text.replace(
      /\{"([a-z])(\w*)"/,
      (_, first: string, rest: string) => `{"\\u00${first.charCodeAt(0).toString(16)}${rest}":0,"${first}${rest}"`,
    ),
  'a prototype': (text, at) => entered(text, at, '"__proto__":{"admin":true}'),
  'a comment': text => `/* */${text}`,
  'single quotes': text => text.replaceAll('"', "'"),
  'a comma too many': text => text.replace(/\}$/, ',}'),
  'a hundred thousand brackets': () => '['.repeat(100_000),
  'a deep object': () => '{"a":'.repeat(5_000),
  'no value': () => '',
  blanks: () => ' \n\t ',
  'another character': (text, at) => cut(text, at, '\u2028', 1),
}

/** A mark is read over, and a separator is a character like any other inside a text. */
const MAY_PASS = ['a byte order mark', 'another character']

export interface DamagedText {
  readonly done: string
  readonly body: Uint8Array | string
  /** No reader may take it. */
  readonly hopeless: boolean
}

export const damagedText = (text: string): fc.Arbitrary<DamagedText> =>
  fc.tuple(fc.constantFrom(...Object.keys(TEXT_DAMAGES)), fc.nat({ max: Math.max(0, text.length - 1) })).map(([done, at]) => {
    const body = TEXT_DAMAGES[done]!(text, at)
    return { done, body, hopeless: body !== text && !MAY_PASS.includes(done) }
  })
