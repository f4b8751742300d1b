// The syntax tree of a template. Positions are offsets into its source, so every node can be located.

export interface Span {
  readonly start: number
  readonly end: number
}

export type Keyword = 'if' | 'unless' | 'each' | 'with'

/** `../user.name`, `@index`, `this`. */
export interface Path {
  /** How many levels `../` climbs. */
  readonly up: number
  /** Whether it names loop data (`@index`) and not a variable. */
  readonly loop: boolean
  /** Whether it names its start (`this.x`, `./x`, `../x`), so that it cannot mean a block parameter. */
  readonly scoped: boolean
  readonly parts: readonly string[]
  readonly at: Span
}

export interface Text {
  readonly type: 'text'
  readonly text: string
  readonly at: Span
}

export interface Output {
  readonly type: 'output'
  readonly path: Path
  readonly at: Span
}

export interface BlockNode {
  readonly type: 'block'
  readonly keyword: Keyword
  readonly subject: Path
  readonly includeZero: boolean
  /** `as |item key|` */
  readonly params: readonly string[]
  readonly body: readonly Node[]
  /** Null without an {{else}}, which differs from an empty one. */
  readonly otherwise: readonly Node[] | null
  /** The opening tag alone. */
  readonly at: Span
}

export type Node = Text | Output | BlockNode

export interface TemplateTree {
  readonly source: string
  readonly nodes: readonly Node[]
}

export interface TemplateProblem extends Span {
  readonly code: 'template-syntax' | 'unsupported-syntax'
  readonly message: string
}
