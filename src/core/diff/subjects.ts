// Finds the kind of a workspace file, and which preludes, catalogs and agents a change of it affects. The caller loads the texts.
import { isAgentFile, isCatalog, isDescriptor, isPrelude, isRole, isTemplate, isWorkflowFile, namedFiles } from '../lint/layout.ts'
import { isScript, versionOfPath } from '../pack/identity.ts'
import { descriptorPath, namedDescriptors, readCatalogFile } from '../tools/catalog.ts'
import { isPath } from '../workspace/path.ts'
import type { Meaning, What } from './difference.ts'

const KINDS: readonly (readonly [is: (path: string) => boolean, what: What])[] = [
  [isPrelude, 'prelude'],
  [isTemplate, 'template'],
  [isRole, 'role'],
  [isCatalog, 'catalog'],
  [isDescriptor, 'tool'],
  [isAgentFile, 'agent'],
  [isWorkflowFile, 'workflow'],
  [path => path.startsWith('schemas/'), 'schema'],
  [path => versionOfPath(path) !== null && !isScript(path), 'pack'],
]

export const subjectOf = (path: string): What => KINDS.find(([is]) => is(path))?.[1] ?? 'file'

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '')

/** Whether it is made of other files. */
export const isMadeOf = (path: string): boolean => isPrelude(path) || isCatalog(path) || isAgentFile(path)

/** Subjects whose own file is unchanged, and that change with another file. @param texts of the composed files, in the later version */
export function reached(texts: ReadonlyMap<string, string>, changed: ReadonlySet<string>): readonly Meaning[] {
  return [...texts].flatMap(([path, text]): readonly Meaning[] => {
    const because = filesOf(path, text).filter(file => changed.has(file))
    return because.length === 0 ? [] : [{ what: subjectOf(path), name: nameOf(path), path, change: 'says something else', because }]
  })
}

function filesOf(path: string, text: string): readonly string[] {
  if (!isCatalog(path)) return namedFiles(new Map([[path, text]]))
  const read = readCatalogFile(path, new TextEncoder().encode(text))
  return read.ok ? namedDescriptors(read.file).map(descriptorPath).filter(isPath) : []
}
