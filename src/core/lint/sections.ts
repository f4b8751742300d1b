// The sections of a prompt: headings at the start of a line, outside code and comments, and what stands under them.
import type { Node, Span, Template } from '../template/ast.ts'

export interface Section {
  readonly title: string
  /** The heading line. */
  readonly at: Span
  readonly body: string
  readonly empty: boolean
  /** Stands inside a block, so it may be left out. */
  readonly conditional: boolean
  /** Whether the title is this name, or begins with it: `Output Requirements` is OUTPUT. */
  is(name: string): boolean
}

const NUMBER = '(?:\\d+[.)]\\s*)?'
const ATX = new RegExp(`^ {0,3}#{1,6}\\s+${NUMBER}(.+?)\\s*#*\\s*$`)
const BOLD = new RegExp(`^ {0,3}${NUMBER}\\*\\*${NUMBER}(.+?):?\\*\\*:?(?:\\s|$)`)
const LABEL_ALONE = new RegExp(`^ {0,3}${NUMBER}([A-Za-z][A-Za-z ]{0,40}):\\s*$`)
const LABEL = new RegExp(`^ {0,3}${NUMBER}([A-Z][A-Z ]{1,40}):(?:\\s|$)`)
const RULE = /^ {0,3}(?:=+|-{2,})\s*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

interface Heading {
  readonly title: string
  readonly at: Span
  readonly bodyStart: number
}

export function findSections(template: Template): readonly Section[] {
  const { visible, conditional } = reveal(template)
  const headings = findHeadings(visible)
  return headings.map(({ title, at, bodyStart }, index) => {
    const body = visible.slice(bodyStart, headings[index + 1]?.at.start ?? visible.length)
    const pattern = (name: string) => new RegExp(`^${name}S?\\b`, 'i')
    return {
      title,
      at,
      body: template.source.slice(bodyStart, headings[index + 1]?.at.start ?? visible.length),
      empty: body.trim() === '',
      conditional: conditional.some(span => span.start <= at.start && at.start < span.end),
      is: name => pattern(name).test(title.trim()),
    }
  })
}

/** The prompt as a reader of the template sees it: comments blanked out, other tags standing in for what they will print. */
function reveal({ source, nodes }: Template): { visible: string; conditional: readonly Span[] } {
  const chars = source.replace(/[^\n]/g, ' ').split('')
  const conditional: Span[] = []
  const visit = (list: readonly Node[], inBlock: boolean) => {
    for (const node of list) {
      if (node.type === 'text') {
        for (let at = node.at.start; at < node.at.end; at++) chars[at] = source[at]!
        if (inBlock) conditional.push(node.at)
      } else if (node.type === 'output') chars[node.at.start] = '{'
      else {
        visit(node.body, true)
        visit(node.otherwise, true)
      }
    }
  }
  visit(nodes, false)
  return { visible: chars.join(''), conditional }
}

function findHeadings(text: string): readonly Heading[] {
  const headings: Heading[] = []
  let fence: string | null = null
  let start = 0
  let previous: { line: string; start: number } | null = null
  for (const line of text.split('\n')) {
    const marker = FENCE.exec(line)?.[1]
    if (fence === null && marker !== undefined) fence = marker
    else if (fence !== null && marker?.startsWith(fence)) fence = null
    else if (fence === null) {
      const found = ATX.exec(line) ?? BOLD.exec(line) ?? LABEL_ALONE.exec(line) ?? LABEL.exec(line)
      const title = found?.[1]
      if (title !== undefined && found !== null) {
        // What follows a label on its own line belongs to the section already.
        const inline = found[0].trimEnd().length < line.trimEnd().length
        headings.push({ title, at: { start, end: start + line.length }, bodyStart: start + (inline ? found[0].length : line.length) })
      } else if (previous !== null && RULE.test(line) && previous.line.trim() !== '' && previous.line.length < 60)
        headings.push({
          title: previous.line.trim(),
          at: { start: previous.start, end: previous.start + previous.line.length },
          bodyStart: start + line.length,
        })
    }
    previous = { line, start }
    start += line.length + 1
  }
  return headings
}
