import type { ContentProblem } from '../../../pack/file-content.ts'
import { nearest } from '../../../pack/nearest.ts'
import { type CatalogFile, compileCatalog, descriptorPath, namedDescriptors, readCatalogFile } from '../../../tools/catalog.ts'
import { unsendable } from '../../../tools/unsendable.ts'
import { INDEX_FILE } from '../../../workspace/index-file.ts'
import { bytesOf, catalogsIn, type FoundInFile, foundIn, isDescriptor, type Layout, legacyTools, once, textsOf } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const toolsValid: LayoutRule = {
  name: 'tools-valid',
  summary: 'Every catalog and descriptor can be shown to a model: tools have names of their own, and parameters that are JSON Schemas.',
  severity: 'error',

  checkLayout: layout => once(problemsIn(layout)),
}

function* problemsIn(layout: Layout): Iterable<FoundInFile> {
  for (const [path, text] of textsOf(layout, catalogsIn(layout.texts))) yield* catalogProblems(path, text, layout)
  for (const [path] of textsOf(layout, isDescriptor)) yield* descriptorProblems(path, layout)
  if (!layout.paths.has(INDEX_FILE)) yield* legacyProblems(layout)
}

function* catalogProblems(path: string, text: string, layout: Layout): Iterable<FoundInFile> {
  const read = readCatalogFile(path, bytesOf(text))
  if (!read.ok) return yield* read.problems.map(foundIn)
  const isWhole = namedDescriptors(read.file).every(name => layout.paths.has(descriptorPath(name)))
  yield* isWhole ? compileProblems(path, read.file, layout) : unknownDescriptors(read.file, layout)
}

function* unknownDescriptors({ entries }: CatalogFile, { paths }: Layout): Iterable<FoundInFile> {
  const descriptors = [...paths].filter(isDescriptor).map(nameOf)
  for (const { path: file, pointer, tool } of entries) {
    if (typeof tool !== 'string' || paths.has(descriptorPath(tool))) continue
    const meant = nearest(tool, descriptors)
    yield {
      file,
      pointer,
      message: `There is no ${descriptorPath(tool)}`,
      ...(meant === null ? {} : { suggestion: `did you mean "${meant}"?` }),
    }
  }
}

const nameOf = (path: string): string => path.slice('tools/descriptors/'.length, -'.json'.length)

function compileProblems(path: string, file: CatalogFile, { texts, checkSchema }: Layout): readonly FoundInFile[] {
  // A descriptor that cannot be read is a finding of its own.
  const entries = file.entries.filter(({ tool }) => typeof tool !== 'string' || texts.has(descriptorPath(tool)))
  const named = entries.flatMap(({ tool }) => (typeof tool === 'string' ? [tool] : []))
  const bytes = new Map(named.map(name => [name, bytesOf(texts.get(descriptorPath(name))!)]))
  const compiled = compileCatalog({ ...file, entries }, bytes, checkSchema)
  if (!compiled.ok) return compiled.problems.map(foundIn)
  const problem: ContentProblem | null = entries.length < file.entries.length ? null : unsendable(path, compiled.value.text)
  return problem === null ? [] : [foundIn(problem)]
}

/** By itself, whether or not a catalog names it. */
const descriptorProblems = (path: string, layout: Layout): readonly FoundInFile[] =>
  compileProblems(path, { entries: [{ path, pointer: [], tool: nameOf(path) }], toolChoice: null }, layout)

/** As sync reads them: all together. */
function legacyProblems(layout: Layout): readonly FoundInFile[] {
  const read = legacyTools(layout).map(([path, text]) => readCatalogFile(path, bytesOf(text)))
  const problems = read.flatMap(one => (one.ok ? [] : one.problems.map(foundIn)))
  const entries = read.flatMap(one => (one.ok ? one.file.entries : []))
  return [...problems, ...compileProblems('tools', { entries, toolChoice: null }, layout)]
}
