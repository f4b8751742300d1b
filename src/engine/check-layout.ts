// Checks what lies beside the packs of a workspace: index, preludes, templates, tools, context, agents, workflows. One broken file never stops the others.
import { isLookedInto, LAYOUT_FOLDERS, namedFiles, ROOT_FILES } from '../core/lint/layout.ts'
import { byPlace, type Finding } from '../core/lint/lint.ts'
import { lintLayout } from '../core/lint/lint-layout.ts'
import { isImage } from '../core/prelude/compile.ts'
import { schemaFault } from '../core/schema/schema-fault.ts'
import type { Files } from '../ports.ts'
import { isClosedFolder, unreadable, type Workspace, weigh } from './workspace.ts'

export interface CheckedLayout {
  /** Those that were looked into. */
  readonly files: readonly string[]
  /** What the findings' lines and columns count in. */
  readonly texts: ReadonlyMap<string, string>
  readonly findings: readonly Finding[]
}

/** What sync reads too. */
const MOST_BYTES = 8 * 1024 * 1024
const WINDOW = 32

export async function checkLayout({ files, config, packs }: Pick<Workspace, 'files' | 'config' | 'packs'>): Promise<CheckedLayout> {
  const paths = new Set(await listLayout(files))
  const own = [...paths].filter(path => isLookedInto(path) || isClosedFolder(path))
  const read = await readAll(files, own)
  const named = namedFiles(read.texts)
  for (const path of named) if (!paths.has(path) && (await files.kind(path)) === 'file') paths.add(path)
  const context = await readAll(
    files,
    named.filter(path => paths.has(path) && !own.includes(path) && !isImage(path)),
  )
  const texts = new Map([...read.texts, ...context.texts])
  const found = lintLayout({ paths, texts, packs, checkSchema: schemaFault }, config)
  // Of context that is no text, the prelude that names it says what is wrong.
  return { files: [...own, ...context.texts.keys()], texts, findings: [...weigh(read.unread, config), ...found].sort(byPlace) }
}

async function listLayout(files: Files): Promise<readonly string[]> {
  const found: string[] = []
  for (const file of ROOT_FILES) if ((await files.kind(file)) !== 'none') found.push(file)
  for (const folder of LAYOUT_FOLDERS) if ((await files.kind(folder)) === 'folder') found.push(...(await files.list(folder)))
  return found
}

async function readAll(files: Files, paths: readonly string[]): Promise<{ texts: Map<string, string>; unread: Finding[] }> {
  const texts = new Map<string, string>()
  const unread: Finding[] = []
  for (let start = 0; start < paths.length; start += WINDOW)
    await Promise.all(
      paths.slice(start, start + WINDOW).map(async path => {
        const read = await files.readText(path, MOST_BYTES)
        if (read.ok) texts.set(path, read.text)
        else unread.push(unreadable(path, read.message))
      }),
    )
  return { texts, unread }
}
