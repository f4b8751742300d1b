import type { Node, Text } from '../../../template/ast.ts'
import { inPrompt, type Rule } from '../../rule.ts'

/** Parts of a name that suggest another value on every call. */
const VOLATILE =
  /^(?:now|today|date|time|timestamp|nonce|random|seed|uuid|query|question|message|input)$|(?:Now|Date|Time|Timestamp|At|Id|Uuid|Nonce|Query|Question|Message|Input)$|_(?:now|date|time|timestamp|at|id|uuid|nonce|query|question|message|input)$/

export const volatileBeforeStable: Rule = {
  name: 'volatile-before-stable',
  summary: 'Text that stays the same comes before variables that change on every call, so that providers can cache it.',
  severity: 'warning',
  options: { minStableBytes: 200 },

  *check({ template, uses: { uses }, variables }, { minStableBytes }) {
    if (template === null) return
    const isVolatile = (name: string | null) => {
      const variable = variables.get(name ?? '')
      return variable !== undefined && (variable.volatile ?? VOLATILE.test(variable.name))
    }
    const first = uses.find(({ variable }) => isVolatile(variable))
    if (first === undefined) return
    const texts = textsOf(template.nodes)
    const prefix = bytesOf(texts.filter(({ at }) => at.end <= first.at.start))
    const behind = bytesOf(texts.filter(({ at }) => at.start >= first.at.end))
    if (behind < Number(minStableBytes)) return
    yield {
      message: `"${first.variable}" changes on every call and comes before ${behind} bytes that do not: the stable prefix ends after ${prefix} bytes`,
      at: inPrompt(first.at),
      suggestion: 'move it to the end, or say volatile: false in its declaration',
    }
  },
}

const textsOf = (nodes: readonly Node[]): readonly Text[] =>
  nodes.flatMap(node =>
    node.type === 'block' ? [...textsOf(node.body), ...textsOf(node.otherwise ?? [])] : node.type === 'text' ? [node] : [],
  )

const bytesOf = (texts: readonly Text[]): number => texts.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0)
