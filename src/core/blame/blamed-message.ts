// The messages of a prelude, span by span with their places: as written in its file, or as rendered from its templates and context.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { type ChatMessage, observable, type Part, type Role } from '../messages/message.ts'
import { readYaml } from '../pack/yaml.ts'
import { isImage } from '../prelude/compile.ts'
import type { ComposedPrelude } from '../prelude/prelude.ts'
import type { Pointer } from '../schema/pointer.ts'
import { parseTemplate } from '../template/parse.ts'
import { renderTemplate } from '../template/render.ts'
import { atField, inField, inFile, type PlaceAt } from './places.ts'
import { type BlameSpan, spansOf } from './span.ts'
import type { WordSource } from './word-source.ts'

export interface BlamedMessage {
  readonly role: Role
  /** Offsets are in the text of this message. */
  readonly spans: readonly BlameSpan[]
  /** Other content, such as an image. */
  readonly attached: readonly string[]
}

/** A piece of a message with the facts about it. */
interface Piece {
  readonly text: string
  readonly from: string | null
  readonly secret: string | null
  readonly source: WordSource | null
  readonly placeAt: PlaceAt | null
}

const piece = (text: string, placeAt: PlaceAt | null): Piece => ({ text, from: null, secret: null, source: null, placeAt })

/** For messages without a known file. */
export const unplaced = (messages: readonly ChatMessage[]): readonly BlamedMessage[] =>
  messages.map(({ role, content }) => blamed(role, content, () => null))

/** @param source the text of the file, which holds these messages */
export function fromMessages(file: string, source: string, messages: readonly ChatMessage[]): readonly BlamedMessage[] {
  const document = readYaml(source)
  const { value } = document
  const whole = atField(file, document, [])
  // Nested lists, and results between texts, get no closer place than the file.
  const listed = Array.isArray(value) ? (value as readonly Json[]) : value === undefined ? [] : [value]
  const isFlat = listed.length === messages.length && listed.every(isObject)
  return messages.map(({ role, content }, index) => {
    const at: Pointer = Array.isArray(value) ? [index] : []
    return blamed(role, content, (text, part) => {
      if (!isFlat) return whole
      const content = (listed[index] as { readonly content?: Json }).content
      if (content === text) return inField(file, document, [...at, 'content'])
      const written = Array.isArray(content) ? (content as readonly Json[])[part] : undefined
      if (isObject(written!) && written.text === text) return inField(file, document, [...at, 'content', part, 'text'])
      return atField(file, document, at)
    })
  })
}

function blamed(role: Role, content: readonly Part[], placesOf: (text: string, part: number) => PlaceAt | null): BlamedMessage {
  const pieces = content.flatMap((part, index): readonly Piece[] => {
    if (part.type === 'text') return [piece(part.text, placesOf(part.text, index))]
    if (part.type !== 'secret') return []
    const source = { from: 'secret', name: part.id } as const
    return [{ text: shown(part), from: part.id, secret: part.id, source, placeAt: null }]
  })
  const attached = content.flatMap(({ type }) => (type === 'text' || type === 'secret' ? [] : [type]))
  return { role, spans: spansIn(pieces), attached }
}

const shown = (part: Part): string => {
  const [seen] = observable({ role: 'user', content: [part] }).content
  return seen?.type === 'text' ? seen.text : ''
}

/** @param texts of the files it names. Null when they do not make it: then these are not its files. */
export function fromComposed(
  { templates, context, values }: ComposedPrelude,
  texts: ReadonlyMap<string, string>,
): readonly BlamedMessage[] | null {
  const messages: BlamedMessage[] = []
  for (const { path, role } of templates) {
    const pieces = piecesOf(path, texts.get(path), values)
    if (pieces === null) return null
    messages.push({ role, spans: spansIn(pieces), attached: [] })
  }
  const [images, words] = [context.filter(isImage), context.filter(path => !isImage(path))]
  const pieces = words.map(path => piece(texts.get(path) ?? '', inFile(path, texts.get(path) ?? '')))
  return context.length === 0 ? messages : [...messages, { role: 'user', spans: spansIn(pieces), attached: images }]
}

function piecesOf(path: string, source: string | undefined, values: ComposedPrelude['values']): readonly Piece[] | null {
  const parsed = source === undefined ? null : parseTemplate(source)
  const rendered = parsed?.ok === true ? renderTemplate(parsed.template, values) : null
  if (rendered?.ok !== true) return null
  const placeAt = inFile(path, source!)
  return rendered.segments.map(({ text, from, at }) => ({
    text,
    from,
    secret: null,
    source: from === null ? null : { from: 'prelude', name: from },
    placeAt: offset => placeAt(at.start + offset),
  }))
}

const spansIn = (pieces: readonly Piece[]): readonly BlameSpan[] =>
  spansOf(
    pieces.map(({ text, from, secret }) => ({ ...NO_BLOCK, text, from, secret })),
    ({ from }, index) => ({ kind: null, variable: from, source: pieces[index]!.source, placeAt: pieces[index]!.placeAt }),
  )

const NO_BLOCK = { block: null, part: null, template: null, layer: null, at: null, trust: 'trusted' } as const
