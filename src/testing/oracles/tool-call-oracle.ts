// Reads the tool calls in a text, row by row as the protocol's table has it (spec/tool-calls/README.md). Slow, and shares no code with the product.
import type { ReadToolCalls } from '../../core/tools/read-tool-calls.ts'

export interface OracleCall {
  readonly id: string | null
  readonly name: string
  readonly args: unknown
}

export interface OracleReading {
  readonly calls: readonly OracleCall[]
  /** `code@line`. */
  readonly diagnostics: readonly string[]
  readonly message: string
}

/** The product's reading, in the oracle's terms. */
export const asOracle = ({ calls, diagnostics, message }: ReadToolCalls): OracleReading => ({
  calls: calls.map(({ id, name, args, idGenerated }) => ({ id: idGenerated ? null : id, name, args })),
  diagnostics: diagnostics.map(({ code, line }) => `${code}@${line}`),
  message,
})

/** JSON with every key that was written, also those that stand twice. */
type Tree = { readonly pairs: readonly (readonly [string, Tree])[] } | { readonly items: readonly Tree[] } | { readonly scalar: unknown }

export function oracleToolCalls(text: string, tools: readonly string[], taken: readonly string[] = []): OracleReading {
  const lines = text.split('\n')
  const ids = [...taken]
  const calls: OracleCall[] = []
  const diagnostics: string[] = []
  const kept: string[] = []
  for (const [index, line] of lines.entries()) {
    const found = rowOf(line, isFenced(lines, index), tools)
    const again = typeof found === 'object' && found.call.id !== null && ids.includes(found.call.id)
    if (typeof found === 'object' && !again) {
      calls.push(found.call)
      ids.push(found.call.id ?? '')
      diagnostics.push(...found.warnings.map(code => `${code}@${index + 1}`))
      continue
    }
    kept.push(line)
    const code = again ? 'duplicate-id' : found
    if (code !== 'text') diagnostics.push(`${code}@${index + 1}`)
  }
  return { calls, diagnostics, message: calls.length > 0 ? kept.join('\n').trim() : text }
}

/** In doubt it is fenced: some readers see a fence four spaces deep, others do not. */
const isFenced = (lines: readonly string[], upTo: number): boolean =>
  hasFence(lines, upTo, /^/) || hasFence(lines, upTo, /^\ufeff? {0,3}(([-*+]|\d{1,9}[.)])[ \t]{1,4})*$/)

/** From the top each time: the lines before this one, and which of them open and close. */
function hasFence(lines: readonly string[], upTo: number, before: RegExp): boolean {
  let open: { readonly fence: string; readonly indent: string } | null = null
  for (const line of lines.slice(0, upTo)) {
    if (open === null) {
      const [, indent, fence, info] = /^((?:\s|[-*+]\s|\d{1,9}[.)]\s)*)(`{3,}|~{3,})([\s\S]*)$/.exec(line) ?? []
      if (fence !== undefined && before.test(indent!) && !(fence.startsWith('`') && info!.includes('`'))) open = { fence, indent: indent! }
      continue
    }
    const [, indent, fence] = /^(\s*)(`{3,}|~{3,})\s*$/.exec(line) ?? []
    const width = (blanks: string) => blanks.replaceAll('\t', '    ').length
    if (fence?.startsWith(open.fence) && width(indent!) <= Math.max(3, width(open.indent))) open = null
  }
  return open !== null
}

type Row = string | { readonly call: OracleCall; readonly warnings: readonly string[] }

function rowOf(line: string, fenced: boolean, tools: readonly string[]): Row {
  const snake = /tool_call/.test(line)
  if (!snake && !/toolCall/.test(line)) return 'text'
  const tree = parseTree(line.trim())
  const keys = tree !== null && 'pairs' in tree ? tree.pairs.map(([key]) => key) : []
  const wrapper = (snake ? ['tool_call', 'toolCall'] : ['toolCall']).find(name => keys.includes(name))
  if (fenced) return wrapper !== undefined || /"tool_call"/.test(line) ? 'fenced' : 'text'
  if (wrapper === 'toolCall') return 'camel-wrapper'
  if (wrapper === undefined) return snake ? 'near-miss' : 'text'
  if (repeatsKey(tree!)) return 'duplicate-key'
  if (!isWritable(tree!, 1)) return 'bad-value'
  const inner = field(tree!, 'tool_call')!
  const name = textOf(field(inner, 'name'))
  if (name === '') return 'bad-wrapper'
  const [args, params] = [field(inner, 'args'), field(inner, 'params')]
  if (args === undefined && params !== undefined) return 'use-args'
  if (args === undefined || !('pairs' in args)) return 'bad-args'
  if (!tools.includes(name)) return 'unknown-tool'
  const id = textOf(field(inner, 'id'))
  const usable = id !== '' && [...id].length <= 128 && ![...id].some(breaksLine)
  const extra = keys.length > 1 || ('pairs' in inner && inner.pairs.some(([key]) => !/^(id|name|args|params)$/.test(key)))
  const warnings = [...(params === undefined ? [] : ['ignored-params']), ...(extra ? ['extra-key'] : [])]
  return { call: { id: usable ? id : null, name, args: plain(args) }, warnings }
}

const breaksLine = (one: string): boolean => one < ' ' || (one >= '\x7f' && one <= '\x9f') || one === '\u2028' || one === '\u2029'
const field = (tree: Tree, name: string): Tree | undefined => ('pairs' in tree ? tree.pairs.find(([key]) => key === name)?.[1] : undefined)
const textOf = (tree: Tree | undefined): string =>
  tree !== undefined && 'scalar' in tree && typeof tree.scalar === 'string' ? tree.scalar.trim() : ''

const childrenOf = (tree: Tree): readonly Tree[] => ('pairs' in tree ? tree.pairs.map(([, one]) => one) : 'items' in tree ? tree.items : [])
const repeatsKey = (tree: Tree): boolean =>
  ('pairs' in tree && new Set(tree.pairs.map(([key]) => key)).size < tree.pairs.length) || childrenOf(tree).some(repeatsKey)

function isWritable(tree: Tree, depth: number): boolean {
  const half = (text: string) => /\p{Cs}/u.test(text)
  if ('scalar' in tree)
    return typeof tree.scalar === 'string' ? !half(tree.scalar) : Math.abs(Number(tree.scalar)) < Number.POSITIVE_INFINITY
  if (depth > 64 || ('pairs' in tree && tree.pairs.some(([key]) => half(key)))) return false
  return childrenOf(tree).every(one => isWritable(one, depth + 1))
}

function plain(tree: Tree): unknown {
  if ('scalar' in tree) return tree.scalar
  return 'items' in tree ? tree.items.map(plain) : Object.fromEntries(tree.pairs.map(([key, one]) => [key, plain(one)]))
}

const TOKENS =
  /[{}[\]:,]|"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[ \t\r\n]+|[\s\S]/g

/** Null for text that is not JSON. */
function parseTree(text: string): Tree | null {
  const tokens = (text.match(TOKENS) ?? []).filter(token => !/^[ \t\r\n]/.test(token))
  let at = 0
  const take = (token: string): boolean => tokens[at] === token && ++at > 0
  const expect = (done: boolean): void => {
    if (!done) throw new SyntaxError(text)
  }
  const list = <T>(end: string, one: () => T): T[] => {
    const all: T[] = []
    while (!take(end)) {
      if (all.length > 0) expect(take(','))
      all.push(one())
    }
    return all
  }
  const key = (): string => {
    expect(/^"./.test(tokens[at] ?? ''))
    return JSON.parse(tokens[at++]!)
  }
  const pair = (): readonly [string, Tree] => {
    const name = key()
    expect(take(':'))
    return [name, value()]
  }
  const value = (): Tree => {
    if (take('{')) return { pairs: list('}', pair) }
    if (take('[')) return { items: list(']', value) }
    return { scalar: JSON.parse(tokens[at++]!) }
  }
  try {
    const tree = value()
    return at === tokens.length ? tree : null
  } catch {
    return null
  }
}
