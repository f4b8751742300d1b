import { digestText } from '../../../digest/digest.ts'
import { nearest } from '../../../pack/nearest.ts'
import { positionOf } from '../../../pack/place.ts'
import { type ContentFile, compilePrelude, filesOf, isImage } from '../../../prelude/compile.ts'
import { type ComposedPrelude, readPrelude } from '../../../prelude/prelude.ts'
import type { Pointer } from '../../../schema/pointer.ts'
import { parseTemplate } from '../../../template/parse.ts'
import { isPath } from '../../../workspace/path.ts'
import {
  bytesOf,
  type FoundInFile,
  filesOfContext,
  foundIn,
  indexIn,
  isTemplate,
  type Layout,
  once,
  preludesIn,
  textsOf,
} from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const preludeValid: LayoutRule = {
  name: 'prelude-valid',
  summary:
    'Every prelude can be compiled: it is of its format, its templates and context are there, and its templates render with its values.',
  severity: 'error',

  checkLayout: layout => once(problemsIn(layout)),
}

function* problemsIn(layout: Layout): Iterable<FoundInFile> {
  const used = new Set<string>()
  for (const [path, text] of textsOf(layout, preludesIn(layout.texts))) yield* preludeProblems(path, text, layout, used)
  for (const [path, text] of textsOf(layout, isTemplate)) if (!used.has(path)) yield* syntaxProblems(path, text)
}

function* preludeProblems(file: string, text: string, layout: Layout, used: Set<string>): Iterable<FoundInFile> {
  const read = readPrelude(bytesOf(text))
  if (!read.ok) return yield* read.problems.map(one => foundIn({ path: file, ...one }))
  if (read.prelude.kind === 'messages') return
  const { prelude } = read.prelude
  let isWhole = true
  for (const wrong of wrongNames(file, prelude, layout)) {
    isWhole = false
    yield wrong
  }
  if (!isWhole) return
  const index = indexIn(layout.texts)
  const whole = { ...prelude, context: prelude.context.flatMap(entry => filesOfContext(entry, index, layout.paths)) }
  const names = filesOf(whole)
  for (const name of names) used.add(name)
  const compiled = compilePrelude(whole, new Map(names.map(name => [name, contentOf(name, layout)])))
  if (!compiled.ok) yield* compiled.problems.map(foundIn)
}

/** For an image, only the name is checked. */
function contentOf(path: string, { texts }: Layout): ContentFile {
  const text = texts.get(path) ?? ''
  return { digest: digestText(text), bytes: bytesOf(text) }
}

/** Each file it names, where it names it. */
function* wrongNames(file: string, { templates, context, options }: ComposedPrelude, layout: Layout): Iterable<FoundInFile> {
  const index = indexIn(layout.texts)
  const named: readonly (readonly [Pointer, string])[] = [
    ...templates.map(({ path }, index): [Pointer, string] => [['templates', index], path]),
    ...context.flatMap((entry, place) =>
      filesOfContext(entry, index, layout.paths).map((path): [Pointer, string] => [['context', place], path]),
    ),
    ...(typeof options.responseFormat === 'string' ? [[['options', 'responseFormat'], options.responseFormat] as const] : []),
  ]
  for (const [pointer, path] of named) {
    const message = problemWith(path, layout, pointer[0] === 'context')
    if (message === null) continue
    const meant = layout.paths.has(path) ? null : nearest(path, layout.paths)
    yield { file, pointer, message, ...(meant === null ? {} : { suggestion: `did you mean "${meant}"?` }) }
  }
}

function problemWith(path: string, { paths, texts, ignored }: Layout, asContext: boolean): string | null {
  if (!isPath(path)) return `"${path}" is not a path in a workspace`
  if (ignored?.has(path)) return `An ignore file names ${path}, so publishing leaves it out`
  if (!paths.has(path)) return `There is no ${path}`
  if (texts.has(path) || (asContext && isImage(path))) return null
  return asContext ? `${path} is neither text in UTF-8 nor an image (png, jpeg, gif, webp)` : `${path} must be text in UTF-8`
}

/** A template that no prelude uses yet can only have syntax problems. */
function syntaxProblems(file: string, text: string): readonly FoundInFile[] {
  const parsed = parseTemplate(text)
  if (parsed.ok) return []
  return parsed.problems.map(({ message, start }) => foundIn({ path: file, pointer: [], message, position: positionOf(text, start) }))
}
