// Compiles a composed prelude to messages. Renders each template once, strictly: a missing value is a problem, never empty text.
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { type ContentProblem, readJsonContent, readText } from '../pack/file-content.ts'
import { positionOf } from '../pack/place.ts'
import { parseTemplate } from '../template/parse.ts'
import { renderTemplate } from '../template/render.ts'
import type { ComposedPrelude } from './prelude.ts'

/** A file of the workspace. An image needs only its name: it is sent by digest. */
export interface ContentFile {
  readonly digest: Digest
  readonly bytes: Uint8Array
}

export interface CompiledPrelude {
  /** JSON, as it is stored and sent. */
  readonly messages: string
  /** JSON; null when nothing is set. */
  readonly options: string | null
}

export type Compiled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly ContentProblem[] }

const IMAGES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
])

const imageType = (path: string): string | undefined => IMAGES.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase())

/** Decides by the name; the content is for the model. */
export const isImage = (path: string): boolean => imageType(path) !== undefined

/** The files it is made of, each once. */
export function filesOf({ templates, context, options }: ComposedPrelude): readonly string[] {
  const format = typeof options.responseFormat === 'string' ? [options.responseFormat] : []
  return [...new Set([...templates.map(({ path }) => path), ...context, ...format])]
}

/** `files`: every one of `filesOf`. */
export function compilePrelude(prelude: ComposedPrelude, files: ReadonlyMap<string, ContentFile>): Compiled<CompiledPrelude> {
  const problems: ContentProblem[] = []
  const file = (path: string): ContentFile | null => {
    const content = files.get(path) ?? null
    if (content === null) problems.push(problem(path, 'there is no such file'))
    return content
  }
  const messages = prelude.templates.flatMap(({ path, role }): Json[] => {
    const content = file(path)
    const text = content === null ? null : rendered(path, content, prelude, problems)
    return text === null ? [] : [{ role, content: text }]
  })
  const parts = prelude.context.flatMap((path): Json[] => {
    const content = file(path)
    const part = content === null ? null : partOf(path, content)
    if (content !== null && part === null) problems.push(problem(path, 'context must be text in UTF-8, or an image (png, jpeg, gif, webp)'))
    return part === null ? [] : [part]
  })
  const options = optionsOf(prelude, file, problems)
  if (problems.length > 0) return { ok: false, problems }
  const all = parts.length === 0 ? messages : [...messages, { role: 'user', content: parts }]
  return { ok: true, value: { messages: canonicalJson(all), options } }
}

const problem = (path: string, message: string): ContentProblem => ({ path, pointer: [], message })

function rendered(path: string, { bytes }: ContentFile, { values }: ComposedPrelude, problems: ContentProblem[]): string | null {
  const text = readText(bytes)
  if (text === null) {
    problems.push(problem(path, 'a template must be text in UTF-8'))
    return null
  }
  const parsed = parseTemplate(text)
  const result = parsed.ok ? renderTemplate(parsed.template, values) : parsed
  if (result.ok) return result.text
  for (const { message, start } of result.problems) problems.push({ ...problem(path, message), position: positionOf(text, start) })
  return null
}

function partOf(path: string, { digest, bytes }: ContentFile): Json | null {
  const mediaType = imageType(path)
  if (mediaType !== undefined) return { type: 'image', mediaType, digest }
  const text = readText(bytes)
  return text === null ? null : { type: 'text', text }
}

function optionsOf({ options }: ComposedPrelude, file: (path: string) => ContentFile | null, problems: ContentProblem[]): string | null {
  const { responseFormat: path } = options
  if (typeof path !== 'string') return Object.keys(options).length === 0 ? null : canonicalJson(options)
  const schemaFile = file(path)
  const content = schemaFile === null ? null : readJsonContent(schemaFile.bytes)
  if (content === null) return null
  if (!content.ok) problems.push(...content.problems.map(one => ({ path, ...one })))
  else if (!isObject(content.value)) problems.push(problem(path, 'a response format must be a JSON Schema'))
  else return canonicalJson({ ...options, responseFormat: content.value })
  return null
}
