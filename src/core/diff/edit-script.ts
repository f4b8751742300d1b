// Finds the shortest edit script between two lists of lines (Myers, O(ND)), on numbers instead of texts: fast, and bounded
// by a number of edits.

/** A run of lines that both have, or that only one has. Ends are exclusive. */
export interface Edit {
  readonly kind: 'same' | 'removed' | 'added'
  /** Index of the first line, in B when it was added, in A otherwise. */
  readonly start: number
  readonly end: number
}

/** @returns null when more than `mostEdits` lines would come or go */
export function editScript(a: readonly string[], b: readonly string[], mostEdits: number): readonly Edit[] | null {
  const [ours, theirs, unmatched] = numbered(a, b)
  // Every line that only one side has comes or goes: the search would not find a shorter way.
  return unmatched > mostEdits ? null : shortestPath(ours, theirs, mostEdits)
}

function numbered(a: readonly string[], b: readonly string[]): readonly [Int32Array, Int32Array, number] {
  const numbers = new Map<string, number>()
  const counts: number[] = []
  const numberOf = (line: string, sign: number): number => {
    let number = numbers.get(line)
    if (number === undefined) {
      number = counts.length
      numbers.set(line, number)
      counts.push(0)
    }
    counts[number]! += sign
    return number
  }
  const ours = Int32Array.from(a, line => numberOf(line, 1))
  const theirs = Int32Array.from(b, line => numberOf(line, -1))
  return [ours, theirs, counts.reduce((sum, count) => sum + Math.abs(count), 0)]
}

const NONE = -1
/** Numbers of one node of the search: the node before it, where it began in A, and where its common run ends. */
const FIELDS = 3
const FIRST_NODES = 1_024

/**
 * Which of several shortest ways is chosen is part of the answer, so that the same two texts always read the same: on each diagonal the way
 * that is further in A, and of two equals the one that removes.
 */
function shortestPath(a: Int32Array, b: Int32Array, mostEdits: number): readonly Edit[] | null {
  const most = Math.min(mostEdits, a.length + b.length)
  // The newest node on each diagonal (index in A minus index in B).
  const newest = new Int32Array(2 * most + 3).fill(NONE)
  const at = (diagonal: number): number => diagonal + most + 1
  let nodes = new Int32Array(FIRST_NODES * FIELDS)
  let count = 0
  const endOf = (node: number): number => nodes[node * FIELDS + 2]!

  /** @param from the last index in A before its common run */
  const addNode = (before: number, from: number, diagonal: number): number => {
    let x = from
    while (x + 1 < a.length && x + 1 - diagonal < b.length && a[x + 1] === b[x + 1 - diagonal]) x++
    if ((count + 1) * FIELDS > nodes.length) {
      const larger = new Int32Array(nodes.length * 2)
      larger.set(nodes)
      nodes = larger
    }
    nodes[count * FIELDS] = before
    nodes[count * FIELDS + 1] = from
    nodes[count * FIELDS + 2] = x
    return count++
  }
  const isEnd = (node: number, diagonal: number): boolean => endOf(node) + 1 >= a.length && endOf(node) - diagonal + 1 >= b.length

  newest[at(0)] = addNode(NONE, -1, 0)
  if (isEnd(0, 0)) return editsOf(nodes, 0, 0)
  let lowest = -most
  let highest = most
  for (let edits = 1; edits <= most; edits++)
    for (let diagonal = Math.max(lowest, -edits); diagonal <= Math.min(highest, edits); diagonal += 2) {
      const removing = newest[at(diagonal - 1)]!
      const adding = newest[at(diagonal + 1)]!
      const canAdd = adding !== NONE && endOf(adding) - diagonal >= 0 && endOf(adding) - diagonal < b.length
      const canRemove = removing !== NONE && endOf(removing) + 1 < a.length
      if (!canAdd && !canRemove) {
        newest[at(diagonal)] = NONE
        continue
      }
      const isAdd = !canRemove || (canAdd && endOf(removing) < endOf(adding))
      const node = isAdd ? addNode(adding, endOf(adding), diagonal) : addNode(removing, endOf(removing) + 1, diagonal)
      if (isEnd(node, diagonal)) return editsOf(nodes, node, diagonal)
      newest[at(diagonal)] = node
      // Beyond the edge of either text there is nothing to look for.
      if (endOf(node) + 1 >= a.length) highest = Math.min(highest, diagonal - 1)
      if (endOf(node) - diagonal + 1 >= b.length) lowest = Math.max(lowest, diagonal + 1)
    }
  return null
}

/** From the last node back to the first, then in the order of the texts. */
function editsOf(nodes: Int32Array, last: number, lastDiagonal: number): readonly Edit[] {
  const edits: Edit[] = []
  const push = (kind: Edit['kind'], start: number, end: number): void => {
    if (start === end) return
    const next = edits.at(-1)
    if (next?.kind === kind && next.start === end) edits[edits.length - 1] = { kind, start, end: next.end }
    else edits.push({ kind, start, end })
  }
  for (let [node, diagonal] = [last, lastDiagonal]; ; ) {
    const [before, from, x] = [nodes[node * FIELDS]!, nodes[node * FIELDS + 1]!, nodes[node * FIELDS + 2]!]
    push('same', from + 1, x + 1)
    if (before === NONE) return edits.reverse()
    const isAdd = nodes[before * FIELDS + 2] === from
    if (isAdd) push('added', from - diagonal, from - diagonal + 1)
    else push('removed', from, from + 1)
    ;[node, diagonal] = [before, isAdd ? diagonal + 1 : diagonal - 1]
  }
}
