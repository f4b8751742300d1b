// Finds the sections of a prompt: headings at the start of a line, outside code and comments, and their bodies.
import type { Node, Span, TemplateTree } from './ast.ts'

export interface Section {
  /** The matching name from the request. */
  readonly name: string
  /** The heading line. */
  readonly at: Span
  readonly body: string
  readonly empty: boolean
  /** Inside a block, so it may be left out. */
  readonly conditional: boolean
}

interface Heading {
  readonly name: string | null
  readonly at: Span
  readonly bodyStart: number
  /** 1 to 6 for headings proper; labels and bold lines have none. */
  readonly level: number | null
}

/** Replaces each character of a tag: it is not printed, but keeps offsets as they are. */
const HIDDEN = '\0'
const NUMBER = '(?:\\d+(?:\\.\\d+)*[.)]?\\s+|\\d+[.)])?'
/** The head alone: an expression that also looks for the end tries every way to share out the spaces. */
const ATX = /^ {0,3}(#{1,6})\s./
const BOLD = new RegExp(`^ {0,3}${NUMBER}(?:\\*\\*|__)(.+?):?(?:\\*\\*|__):?(?=\\s|$)`)
const LABEL = new RegExp(`^ {0,3}${NUMBER}([A-Za-z][A-Za-z ]*):(?=\\s|$)`)
const UNDERLINE = /^ {0,3}(=+|-{2,})\s*$/
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
/** All but a few lines are neither; one look tells. */
const LIKELY = /^ {0,3}[#*_\d=-]|:/
const MARKS = new RegExp(`^[*_]*${NUMBER}`)

/** Sections by these names, in the order of the prompt. `Output Requirements` is OUTPUT, `throughput` is not. */
export function findSections(template: TemplateTree, names: readonly string[]): readonly Section[] {
  const { visible, conditional } = reveal(template)
  const headings = findHeadings(visible, names)
  let passed = 0
  return headings.flatMap(({ name, at, bodyStart, level }, index) => {
    if (name === null) return []
    // A heading of the same or a higher level ends a section, and so does every other section. Other labels belong to the text.
    let next = index + 1
    while (next < headings.length && headings[next]!.name === null && !ends(level, headings[next]!.level)) next++
    const end = headings[next]?.at.start ?? visible.length
    // Both lists are in the order of the prompt, so that one walk serves all headings.
    while (passed < conditional.length && conditional[passed]!.end <= at.start) passed++
    const isConditional = passed < conditional.length && conditional[passed]!.start <= at.start
    const empty = visible.slice(bodyStart, end).replaceAll(HIDDEN, '').trim() === ''
    return [{ name, at, body: template.source.slice(bodyStart, end), empty, conditional: isConditional }]
  })
}

const ends = (level: number | null, other: number | null): boolean => level !== null && other !== null && other <= level

/** The prompt as the model may see it: tags hidden, each printed value as one brace. Offsets are those of the source. */
export function reveal({ source, nodes }: TemplateTree): { readonly visible: string; readonly conditional: readonly Span[] } {
  const conditional: Span[] = []
  let visible = ''
  const hideUpTo = (offset: number) => {
    visible += source.slice(visible.length, offset).replace(/[^\n]/g, HIDDEN)
  }
  const visit = (list: readonly Node[], inBlock: boolean) => {
    for (const node of list) {
      if (node.type === 'block') {
        visit(node.body, true)
        visit(node.otherwise ?? [], true)
        continue
      }
      hideUpTo(node.at.start)
      visible += node.type === 'text' ? source.slice(node.at.start, node.at.end) : '{'
      if (inBlock && node.type === 'text') conditional.push(node.at)
    }
  }
  visit(nodes, false)
  hideUpTo(source.length)
  return { visible, conditional }
}

function findHeadings(text: string, names: readonly string[]): readonly Heading[] {
  const headings: Heading[] = []
  let fence: string | null = null
  let start = 0
  let above: Line | null = null
  for (const raw of text.split('\n')) {
    const line: Line = { raw, shown: raw.includes(HIDDEN) ? raw.replaceAll(HIDDEN, '') : raw, start }
    start += raw.length + 1
    const heading: Heading | null = fence === null && LIKELY.test(line.shown) ? headingOf(line, above, names) : null
    const marker: string | undefined = FENCE.exec(line.shown)?.[1]
    if (heading !== null) headings.push(heading)
    else if (fence === null) fence = marker ?? null
    else if (marker?.startsWith(fence) && line.shown.trim() === marker) fence = null
    const isText: boolean = heading === null && fence === null && marker === undefined
    above = isText && line.shown.trim() !== '' && line.shown.length < 60 ? line : null
  }
  return headings
}

interface Line {
  readonly raw: string
  /** Without the hidden characters. */
  readonly shown: string
  readonly start: number
}

function headingOf(line: Line, above: Line | null, names: readonly string[]): Heading | null {
  const { raw, shown, start } = line
  const underline = above === null ? undefined : UNDERLINE.exec(shown)?.[1]
  if (above !== null && underline !== undefined) {
    const level = underline.startsWith('=') ? 1 : 2
    return { name: nameOf(above.shown.trim(), names), at: spanOf(above), bodyStart: start + raw.length, level }
  }
  const atx = ATX.exec(shown)
  if (atx !== null)
    return {
      name: nameOf(titleBehind(shown, atx[0].length - 1), names),
      at: spanOf(line),
      bodyStart: start + raw.length,
      level: atx[1]!.length,
    }
  const label = BOLD.exec(shown) ?? LABEL.exec(shown)
  const name = label === null || !isTitle(label[1]!) ? null : nameOf(label[1]!, names)
  // Text after a label on its own line belongs to the section already.
  return name === null ? null : { name, at: spanOf(line), bodyStart: start + offsetBehind(raw, label![0].length), level: null }
}

/** Without the spaces around it and the `#`s that may close it. */
function titleBehind(shown: string, start: number): string {
  const title = shown.slice(start).trim()
  let end = title.length
  while (title[end - 1] === '#') end--
  return title.slice(0, end).trimEnd()
}

/** From the first character that is shown to the last. */
function spanOf({ raw, start }: Line): Span {
  const from = start + offsetBehind(raw, 1) - 1
  return { start: from, end: start + raw.trimEnd().length }
}

/** Where in a line this many characters that are not hidden have gone by. */
function offsetBehind(raw: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count; at++) if (raw[at] !== HIDDEN) seen++
  return at
}

/** The name, alone or with more text behind it: `INPUT`, `2. Inputs`, `**Input Schema**`. */
function nameOf(title: string, names: readonly string[]): string | null {
  const text = title.replace(MARKS, '').toUpperCase()
  const isSaid = (name: string) => text.startsWith(name) && /^S?(?:[^\p{L}\p{N}_]|$)/u.test(text.slice(name.length))
  return names.find(name => isSaid(name.toUpperCase())) ?? null
}

/** `Output Requirements:` titles a section; `Output the following:` is a sentence. */
const isTitle = (label: string): boolean => label.split(/\s+/).every(word => !/^[a-z]/.test(word))
