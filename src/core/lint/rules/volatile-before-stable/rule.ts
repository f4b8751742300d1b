import type { Node } from '../../../template/ast.ts'
import { inPrompt, type Rule, variableNamed } from '../../rule.ts'

/** Words in a name that say: another value on every call. */
const VOLATILE =
  /^(?:now|today|date|time|timestamp|nonce|random|seed|uuid|query|question|message|input)$|(?:Now|Date|Time|Timestamp|At|Id|Uuid|Nonce|Query|Question|Message|Input)$|_(?:now|date|time|timestamp|at|id|uuid|nonce|query|question|message|input)$/

export const volatileBeforeStable: Rule = {
  name: 'volatile-before-stable',
  summary: 'Text that stays the same stands in front of variables that change on every call, so that providers can cache it.',
  severity: 'warning',
  options: { minStableBytes: 200 },

  *check(subject, { minStableBytes }) {
    const { template } = subject
    if (template === null) return
    const isVolatile = (name: string | null) =>
      variableNamed(subject, name)?.volatile ?? (name !== null && variableNamed(subject, name) !== undefined && VOLATILE.test(name))
    const first = subject.uses.uses.find(({ variable }) => isVolatile(variable))
    if (first === undefined) return
    const prefix = utf8Length(template.source.slice(0, first.at.start))
    const behind = stableBytesAfter(template.nodes, first.at.end)
    if (behind < Number(minStableBytes)) return
    yield {
      message: `"${first.variable}" changes on every call and stands in front of ${behind} bytes that do not: the stable prefix ends after ${prefix} bytes`,
      at: inPrompt(first.at),
      suggestion: `move it to the end, or say volatile: false in its declaration`,
    }
  },
}

function stableBytesAfter(nodes: readonly Node[], offset: number): number {
  return nodes.reduce((sum, node) => {
    if (node.type === 'text') return sum + (node.at.start >= offset ? utf8Length(node.text) : 0)
    return node.type === 'block' ? sum + stableBytesAfter(node.body, offset) + stableBytesAfter(node.otherwise, offset) : sum
  }, 0)
}

const utf8Length = (text: string): number => new TextEncoder().encode(text).length
