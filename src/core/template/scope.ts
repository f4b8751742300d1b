// Resolves names during rendering. Own properties only: prototypes are never reached.
import type { Json } from '../digest/digest.ts'
import type { Path } from './ast.ts'

export interface Loop {
  readonly index: number
  readonly key: string | number
  readonly first: boolean
  readonly last: boolean
  readonly up: Loop | null
}

export interface Params {
  readonly values: readonly (Json | undefined)[]
  readonly paths: readonly string[]
  readonly up: Params | null
}

export interface Scope {
  readonly context: Json | undefined
  /** The variable path that `context` was found at; '' for all values together. */
  readonly path: string
  readonly up: Scope | null
  readonly loop: Loop | null
  readonly params: Params | null
  readonly root: Json
}

/** A path, prepared before there are values: the kind of its first name, and its spelling. */
export type Lookup = {
  readonly spelled: string
  /** Names made so far. The same loop makes the same names on every render; making them costs more than rendering. */
  readonly names: Map<string, string>
  readonly items: Map<string, string[]>
} & (
  | { readonly type: 'context' | 'root'; readonly up: number; readonly parts: readonly string[] }
  | { readonly type: 'param'; readonly hops: number; readonly slot: number; readonly parts: readonly string[] }
  | { readonly type: 'loop'; readonly up: number; readonly field: LoopField }
)

type LoopField = Exclude<keyof Loop, 'up'>

/** `names`: the block parameters in view, innermost first. */
export function lookupOf({ up, loop, scoped, parts }: Path, names: readonly (readonly string[])[]): Lookup {
  const [head, ...inside] = parts
  const memo = () => ({ names: new Map(), items: new Map() })
  if (loop && head !== 'root') return { type: 'loop', up, field: head as LoopField, spelled: `@${'../'.repeat(up)}${head}`, ...memo() }
  if (loop) return { type: 'root', up, parts: inside, spelled: spell(inside), ...memo() }
  const hops = scoped || head === undefined ? -1 : names.findIndex(level => level.includes(head))
  if (hops === -1) return { type: 'context', up, parts, spelled: spell(parts), ...memo() }
  return { type: 'param', hops, slot: names[hops]!.indexOf(head!), parts: inside, spelled: spell(inside), ...memo() }
}

/** Whether it needs a loop to be counted. */
export const usesLoop = (lookup: Lookup): boolean => lookup.type === 'loop' || (lookup.type === 'root' && lookup.up > 0)

export function find(lookup: Lookup, scope: Scope): Json | undefined {
  switch (lookup.type) {
    case 'context':
      return dig(climb(scope, lookup.up)?.context, lookup.parts)
    case 'param':
      return dig(climb(scope.params, lookup.hops)!.values[lookup.slot], lookup.parts)
    case 'loop':
      return climb(scope.loop, lookup.up)?.[lookup.field]
    case 'root':
      // `@../root` is the same root, as long as there is a loop to climb out of.
      return lookup.up > 0 && climb(scope.loop, lookup.up - 1) === null ? undefined : dig(scope.root, lookup.parts)
  }
}

/** The variable path that is meant here, with `this` and block parameters spelled out; '' for all values together. */
export function pathOf(lookup: Lookup, scope: Scope): string {
  switch (lookup.type) {
    case 'context':
      return nameUnder(climb(scope, lookup.up)?.path ?? '', lookup)
    case 'param':
      return nameUnder(climb(scope.params, lookup.hops)!.paths[lookup.slot]!, lookup)
    case 'loop':
      return lookup.spelled
    case 'root':
      return nameUnder('', lookup)
  }
}

/** More names than this are made anew each time: memory must not grow with the data. */
const MOST_NAMES = 1024

function nameUnder(base: string, { spelled, names }: Lookup): string {
  const cached = names.get(base)
  if (cached !== undefined) return cached
  const name = join(base, spelled)
  if (names.size < MOST_NAMES) names.set(base, name)
  return name
}

/** Where `itemPath` keeps the names of a list's items. */
export function itemPathsOf({ items }: Lookup, base: string): string[] {
  const cached = items.get(base)
  if (cached !== undefined) return cached
  const paths: string[] = []
  if (items.size < MOST_NAMES) items.set(base, paths)
  return paths
}

export function itemPath(paths: string[], base: string, key: string | number): string {
  if (typeof key === 'string') return join(base, spellPart(key))
  const cached = paths[key]
  if (cached !== undefined) return cached
  const path = join(base, `.[${key}]`)
  if (key < MOST_NAMES) paths[key] = path
  return path
}

function climb<Level extends { readonly up: Level | null }>(from: Level | null, steps: number): Level | null {
  let level = from
  for (let climbed = 0; climbed < steps && level !== null; climbed++) level = level.up
  return level
}

/** Undefined when it does not exist; null when the path leads through null: an optional value that was not set. */
function dig(value: Json | undefined, parts: readonly string[]): Json | undefined {
  let at = value
  for (const part of parts) {
    if (at === null || at === undefined) return at
    at = Object.hasOwn(at as object, part) ? (at as Readonly<Record<string, Json>>)[part] : undefined
  }
  return at
}

// Each part is spelled with its dot in front, so that a path grows by one concatenation: this runs for every value.
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
const spellPart = (part: string): string => (PLAIN.test(part) ? `.${part}` : `.[${part.replace(/[\\\]]/g, '\\$&')}]`)
const spell = (parts: readonly string[]): string => parts.map(spellPart).join('')
const join = (base: string, spelled: string): string => (base === '' ? spelled.slice(1) : base + spelled)

/** The scope inside `#with value` or one turn of `#each`. */
export function enter(scope: Scope, value: Json | undefined, path: string, loop: Loop | null, params: Params | null): Scope {
  return { context: value, path, up: isSameContext(value, scope.context) ? scope.up : scope, loop, params, root: scope.root }
}

/**
 * Handlebars adds no level for `../` when the context stays equal, and templates written for it rely on that. It compares loosely. We do
 * so only among plain values: if ["a"] were equal to "a", a row of one cell would climb differently than a row of two.
 */
function isSameContext(a: Json | undefined, b: Json | undefined): boolean {
  const isPlain = typeof a !== 'object' && typeof b !== 'object'
  // biome-ignore lint/suspicious/noDoubleEquals: Handlebars' own comparison
  return isPlain ? a == b : a === b
}
