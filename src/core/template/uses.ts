// Finds which variables a template uses, where, and for what (text, condition, loop). Reads the tree, never values.
import type { BlockNode, Node, Path, Span, TemplateTree } from './ast.ts'

/** A part of a path that means each item of a list. */
export const EACH_ITEM = '*'

export interface Use {
  /** The declared thing that is reached in the end; null when it is all values together. */
  readonly variable: string | null
  /** The way on from there: `user.name` is variable `user`, path `['name']`. */
  readonly path: readonly string[]
  /** Whether the template writes the variable's own name here, and not `this` or a field of an item. */
  readonly named: boolean
  readonly as: 'text' | 'if' | 'unless' | 'each' | 'with'
  readonly at: Span
  /** Inside a block, so rendering may not reach it. */
  readonly conditional: boolean
}

export interface MisplacedPath {
  readonly message: string
  readonly at: Span
}

export interface Uses {
  readonly uses: readonly Use[]
  /** Paths that can mean nothing wherever the template is used. */
  readonly misplaced: readonly MisplacedPath[]
}

type Target = Pick<Use, 'variable' | 'path'>

interface View {
  /** The targets of `this`, `../this`, `../../this`, innermost last. */
  readonly levels: readonly Target[]
  readonly loops: number
  readonly params: Readonly<Record<string, Target | null>>
}

const ALL: Target = { variable: null, path: [] }

export function findUses(template: TemplateTree): Uses {
  const uses: Use[] = []
  const misplaced: MisplacedPath[] = []

  const resolve = (path: Path, view: View): (Target & { named: boolean }) | null => {
    const [head] = path.parts
    if (path.loop && head !== 'root') {
      if (view.loops <= path.up) misplaced.push({ message: `@${'../'.repeat(path.up)}${head} is outside any #each`, at: path.at })
      return null
    }
    if (path.loop) return into(ALL, path.parts.slice(1))
    if (!path.scoped && head !== undefined && Object.hasOwn(view.params, head)) {
      const param = view.params[head]
      return param ? { ...into(param, path.parts.slice(1)), named: false } : null
    }
    const level = view.levels[view.levels.length - 1 - path.up]
    if (level === undefined) {
      misplaced.push({ message: `${'../'.repeat(path.up)} climbs above the outermost level`, at: path.at })
      return null
    }
    return into(level, path.parts)
  }

  const visit = (nodes: readonly Node[], view: View, conditional: boolean): void => {
    for (const node of nodes) {
      if (node.type === 'text') continue
      const path = node.type === 'output' ? node.path : node.subject
      const target = resolve(path, view)
      if (target !== null) uses.push({ ...target, as: node.type === 'output' ? 'text' : node.keyword, at: path.at, conditional })
      if (node.type !== 'block') continue
      visit(node.body, inside(node, target, view), true)
      visit(node.otherwise ?? [], view, true)
    }
  }

  visit(template.nodes, { levels: [ALL], loops: 0, params: {} }, false)
  return { uses, misplaced }
}

function into(target: Target, parts: readonly string[]): Target & { named: boolean } {
  if (target.variable !== null) return { variable: target.variable, path: [...target.path, ...parts], named: false }
  const [variable, ...path] = parts
  return variable === undefined ? { ...ALL, named: false } : { variable, path, named: true }
}

const UNKNOWN: Target = { variable: '', path: [] }

/** The view from inside a block. An unknown target is the variable '', which cannot be declared or named. */
function inside(block: BlockNode, target: Target | null, view: View): View {
  if (block.keyword === 'if' || block.keyword === 'unless') return view
  const { subject } = block
  const isThis = subject.up === 0 && !subject.loop && subject.parts.length === 0
  if (block.keyword === 'with') {
    const value = target ?? UNKNOWN
    const params = block.params[0] === undefined ? view.params : { ...view.params, [block.params[0]]: value }
    return { ...view, levels: isThis ? view.levels : [...view.levels, value], params }
  }
  const item = target === null || target.variable === null ? UNKNOWN : { variable: target.variable, path: [...target.path, EACH_ITEM] }
  const [valueName, keyName] = block.params
  const params = {
    ...view.params,
    ...(valueName === undefined ? {} : { [valueName]: item }),
    ...(keyName === undefined ? {} : { [keyName]: null }),
  }
  return { levels: [...view.levels, item], loops: view.loops + 1, params }
}
