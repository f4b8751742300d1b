import { nearest } from '../../../pack/nearest.ts'
import type { Pointer } from '../../../schema/pointer.ts'
import { INDEX_FILE, readIndex, type WorkspaceIndex } from '../../../workspace/index-file.ts'
import { isWithin } from '../../../workspace/path.ts'
import { bytesOf, type FoundInFile, foundIn, type Layout } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const workspaceIndex: LayoutRule = {
  name: 'workspace-index',
  summary: 'agent.workspace.json is of its format, and names files that are there.',
  severity: 'error',

  *checkLayout(layout) {
    const text = layout.texts.get(INDEX_FILE)
    if (text === undefined) return
    const read = readIndex(bytesOf(text))
    if (!read.ok) return yield* read.problems.map(one => foundIn({ path: INDEX_FILE, ...one }))
    yield* namedFiles(layout, read.index)
    yield* defaults(layout, read.index)
  },
}

const finding = (pointer: Pointer, message: string, more: Partial<FoundInFile> = {}): FoundInFile => ({
  file: INDEX_FILE,
  pointer,
  message,
  ...more,
})

const KINDS = [
  { key: 'prompt_packs', of: 'preludes', choice: 'prompt_pack', picked: 'prelude', folder: 'prompts/packs' },
  { key: 'tool_catalogs', of: 'catalogs', choice: 'tool_catalog', picked: 'catalog', folder: 'tools/catalogs' },
] as const

function* namedFiles({ paths }: Layout, index: WorkspaceIndex): Iterable<FoundInFile> {
  for (const { key, of } of KINDS) for (const [name, path] of index[of]) if (!paths.has(path)) yield missing([key, name], path, paths)
  for (const [name, files] of index.contextGroups)
    for (const [place, path] of files.entries())
      if (![...paths].some(one => isWithin(one, path))) yield missing(['context_groups', name, place], path, paths)
}

function missing(pointer: Pointer, path: string, paths: Iterable<string>): FoundInFile {
  const meant = nearest(path, paths)
  return finding(pointer, `There is no ${path}`, meant === null ? {} : { suggestion: `did you mean "${meant}"?` })
}

function* defaults({ paths }: Layout, index: WorkspaceIndex): Iterable<FoundInFile> {
  for (const { choice, of, picked, folder } of KINDS) {
    const name = index.defaults[picked]
    // A missing file that the index lists was already reported in the list.
    if (name !== null && !index[of].has(name) && !paths.has(`${folder}/${name}.json`))
      yield finding(['defaults', choice], `There is no ${folder}/${name}.json`)
  }
}
