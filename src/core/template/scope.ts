// What a name means at one place during rendering. Own properties only: prototypes are never reached.
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

/** How to find a path's value, and what to call it. Settled once per template, used on every render. */
export interface Lookup {
  readonly find: (scope: Scope) => Json | undefined
  readonly name: (scope: Scope) => string
}

/** `names`: the block parameters in view, innermost first. */
export function lookupOf(path: Path, names: readonly (readonly string[])[]): Lookup {
  if (path.loop) return path.parts[0] === 'root' ? rootLookup(path) : loopLookup(path)
  const param = path.scoped || path.parts.length === 0 ? null : findParam(path.parts[0]!, names)
  return param === null ? contextLookup(path) : paramLookup(path.parts, param)
}

function contextLookup({ up, parts }: Path): Lookup {
  const suffix = spell(parts)
  const level = (scope: Scope): Scope | null => {
    let at: Scope | null = scope
    for (let climbed = 0; climbed < up && at !== null; climbed++) at = at.up
    return at
  }
  return {
    find: up === 0 ? scope => dig(scope.context, parts) : scope => dig(level(scope)?.context, parts),
    name: scope => join(level(scope)?.path ?? '', suffix),
  }
}

function rootLookup({ parts }: Path): Lookup {
  const inside = parts.slice(1)
  const name = join('', spell(inside))
  return { find: scope => dig(scope.root, inside), name: () => name }
}

function loopLookup({ up, parts }: Path): Lookup {
  const field = parts[0] as 'index' | 'key' | 'first' | 'last'
  const name = `@${'../'.repeat(up)}${field}`
  const find = (scope: Scope) => {
    let loop = scope.loop
    for (let climbed = 0; climbed < up && loop !== null; climbed++) loop = loop.up
    return loop?.[field]
  }
  return { find, name: () => name }
}

function paramLookup(parts: readonly string[], { hops, slot }: { hops: number; slot: number }): Lookup {
  const inside = parts.slice(1)
  const suffix = spell(inside)
  const level = (scope: Scope): Params => {
    let params = scope.params!
    for (let hop = 0; hop < hops; hop++) params = params.up!
    return params
  }
  return { find: scope => dig(level(scope).values[slot], inside), name: scope => join(level(scope).paths[slot]!, suffix) }
}

function findParam(name: string, names: readonly (readonly string[])[]): { hops: number; slot: number } | null {
  for (const [hops, level] of names.entries()) {
    const slot = level.indexOf(name)
    if (slot !== -1) return { hops, slot }
  }
  return null
}

/** Undefined when it is not there; null when the way leads through null: an optional value that nobody gave. */
function dig(value: Json | undefined, parts: readonly string[]): Json | undefined {
  let found = value
  for (const part of parts) {
    if (found === null || found === undefined) return found
    found = Object.hasOwn(found as object, part) ? (found as Readonly<Record<string, Json>>)[part] : undefined
  }
  return found
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
const spellPart = (part: string): string => (PLAIN.test(part) ? part : `[${part}]`)
const spell = (parts: readonly string[]): string => parts.map(spellPart).join('.')
const join = (base: string, suffix: string): string => (base === '' ? suffix || 'this' : suffix === '' ? base : `${base}.${suffix}`)

/** The scope inside `#with value` or one turn of `#each`. */
export function enter(scope: Scope, value: Json | undefined, path: string, loop: Loop | null, params: Params | null): Scope {
  return { context: value, path, up: isSameContext(value, scope.context) ? scope.up : scope, loop, params, root: scope.root }
}

export const itemPath = (base: string, key: string | number): string => join(base, typeof key === 'number' ? `[${key}]` : spellPart(key))

/** Handlebars adds no level for `../` when the context stays equal, and compares loosely; templates written for it rely on the former. */
// biome-ignore lint/suspicious/noDoubleEquals: Handlebars' own comparison, kept so that `../` climbs exactly as far as it does there
const isSameContext = (a: Json | undefined, b: Json | undefined): boolean => a == b
