// Finds comments that disable a rule in one place: `onbook-disable-next-line rule -- reason`. In YAML behind #, in a
// prompt as {{! … }}.
import type { Span } from '../pack/place.ts'
import { positionsIn } from '../pack/place.ts'
import type { YamlDocument } from '../pack/yaml.ts'

export interface Disable {
  readonly rules: readonly string[]
  readonly reason: string
  readonly at: Span
  /** The line it applies to; null for the whole file; undefined when it does not say. */
  readonly line: number | null | undefined
}

const COMMENT = /(#|\{\{~?!(?:--)?)[ \t]*onbook-disable(-[a-z-]*)?(?![\w-])([^\n]*)/g

const CLOSE = /(?:--)?~?\}\}/

const cache = new WeakMap<YamlDocument, readonly Disable[]>()

/** Looked for once per document, however many ask. */
export function findDisables(document: YamlDocument): readonly Disable[] {
  const disables = cache.get(document) ?? readDisables(document)
  cache.set(document, disables)
  return disables
}

function readDisables({ text, scalarSpan, commentStarts }: YamlDocument): readonly Disable[] {
  if (!text.includes('onbook-disable')) return []
  const position = positionsIn(text)
  const prompt = scalarSpan(['systemPrompt'])
  const comments = commentStarts()
  return [...text.matchAll(COMMENT)].flatMap(({ 0: whole, 1: opener, 2: scope, 3: rest, index }) => {
    const inside = opener !== '#'
    // Elsewhere both are mere text: a # in quotes or in the prompt, a tag in a description.
    if (inside ? prompt === null || index < prompt.start || prompt.end <= index : !comments.has(index)) return []
    const text = inside ? rest!.split(CLOSE, 1)[0]! : rest!
    const [names = '', ...reason] = text.split(/\s--+\s?/)
    const here = position(index).line
    return [
      {
        rules: names.split(/[\s,]+/).filter(name => name !== ''),
        reason: reason.join(' -- ').trim(),
        at: { start: index, end: index + whole.trimEnd().length },
        line: LINES[scope ?? '']?.(here),
      },
    ]
  })
}

/** Maps the line of the comment to the line it applies to. */
const LINES: Readonly<Record<string, (here: number) => number | null>> = {
  '-next-line': here => here + 1,
  '-line': here => here,
  '-file': () => null,
}

/** Whether a rule is to be silent on a line, which is counted only if it matters. Answers in one look, however many comments there are. */
export function silencer(disables: readonly Disable[]): (rule: string, line: () => number) => boolean {
  const lines = new Map<string, Set<number | null>>()
  for (const { rules, reason, line } of disables) {
    if (reason === '' || line === undefined) continue
    for (const rule of rules) lines.set(rule, (lines.get(rule) ?? new Set()).add(line))
  }
  lines.delete('disable-comment')
  return (rule, line) => {
    const silent = lines.get(rule)
    return silent !== undefined && (silent.has(null) || silent.has(line()))
  }
}
