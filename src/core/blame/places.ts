// Maps the characters of a text to file, line and column. The caller supplies the files.

import type { Digest } from '../digest/digest.ts'
import { templatesOfPack } from '../library/from-pack.ts'
import type { LibraryTemplate } from '../library/template.ts'
import { templateDigest } from '../library/template.ts'
import { compilePack } from '../pack/compile.ts'
import { type Pack, readPack } from '../pack/pack.ts'
import { positionsIn } from '../pack/place.ts'
import type { YamlDocument } from '../pack/yaml.ts'
import type { Pointer } from '../schema/pointer.ts'
import type { Schemas } from '../schema/schemas.ts'

/** Lines and columns from 1, as editors count. */
export interface FilePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** @param offset in the text that was made of the file */
export type PlaceAt = (offset: number) => FilePlace

/** @param from where in the file the text begins */
export function inFile(file: string, source: string, from = 0): PlaceAt {
  const position = positionsIn(source)
  return offset => ({ file, ...position(from + offset) })
}

/** In the text of one field, through indents, folds and escapes. JSON is read as the YAML it is. */
export function inField(file: string, document: YamlDocument, pointer: Pointer): PlaceAt {
  const position = positionsIn(document.text)
  return offset => ({ file, ...position(document.locate({ pointer, within: { start: offset, end: offset + 1 } }).start) })
}

/** For a text that comes from a whole field: all of it is placed at the start of the field. */
export function atField(file: string, document: YamlDocument, pointer: Pointer): PlaceAt {
  const place = { file, ...positionsIn(document.text)(document.locate({ pointer }).start) }
  return () => place
}

/** Null for a file that does not compile to this very template. */
export function inPack(file: string, source: string, template: LibraryTemplate, digest: Digest, schemas: Schemas): PlaceAt | null {
  const { templateId, version, kind } = template
  // There may be thousands of packs, and a cheap comparison excludes most of them.
  if (!source.includes(version)) return null
  const { pack, document } = readPack(source)
  if (pack === null || pack.version !== version) return null
  const made = templatesOfPack(pack, schemas).find(one => one.templateId === templateId && one.kind === kind)
  if (made === undefined || templateDigest({ ...made, meta: { ...made.meta, source: 'user' } }) !== digest) return null
  if (kind === 'system') return inField(file, document, ['systemPrompt'])
  return kind === 'few-shot' ? inExamples(file, document, pack) : atField(file, document, ['outputSchema'])
}

/** The text of an example is generated: all its lines are placed at the start of the example. */
function inExamples(file: string, document: YamlDocument, pack: Pack): PlaceAt {
  const ends: { readonly end: number; readonly at: PlaceAt }[] = []
  let end = 0
  for (const [index, example] of (pack.examples ?? []).entries()) {
    const shot = compilePack({ ...pack, examples: [example] }, new Map()).find(({ kind }) => kind === 'few-shot')
    if (shot === undefined) continue
    end += shot.text.length + BETWEEN
    ends.push({ end, at: atField(file, document, ['examples', index]) })
  }
  return offset => (ends.find(one => offset < one.end) ?? ends.at(-1)!).at(offset)
}

/** The blank line behind an example. */
const BETWEEN = 2
