// Checks the files beside the packs of a workspace: index, preludes, templates, tools, context, agents, workflows. One broken file never stops the others.
import { catalogsIn, isLookedInto, LAYOUT_FOLDERS, namedFiles, preludesIn, ROOT_FILES } from '../../core/lint/layout.ts'
import { byPlace, type Finding } from '../../core/lint/lint.ts'
import { lintLayout } from '../../core/lint/lint-layout.ts'
import { type WorkflowShare, workflowShares } from '../../core/lint/workflow-share.ts'
import { isImage } from '../../core/prelude/compile.ts'
import { schemaFault } from '../../core/schema/schema-fault.ts'
import { INDEX_FILE } from '../../core/workspace/index-file.ts'
import type { Files } from '../../ports.ts'
import { ignoredIn } from './ignored-in.ts'
import { isClosedFolder, unreadable, type Workspace, weigh } from './pack-folder.ts'

export interface CheckedLayout {
  /** The files that were checked. */
  readonly files: readonly string[]
  /** The texts to which the lines and columns of findings refer. */
  readonly texts: ReadonlyMap<string, string>
  readonly findings: readonly Finding[]
  /** The text that Onbook adds to the prompts of each workflow. */
  readonly shares: readonly WorkflowShare[]
}

/** The limit of sync. */
const MOST_BYTES = 8 * 1024 * 1024
const WINDOW = 32

/**
 * @param ignores whether ignore files count: in a folder they do, because publishing skips ignored files
 * @param extra texts that are checked as if they were in the layout, by their path there
 */
export async function checkLayout(
  { files, config, packs }: Pick<Workspace, 'files' | 'config' | 'packs'>,
  ignores = false,
  extra: ReadonlyMap<string, string> = new Map(),
): Promise<CheckedLayout> {
  const isLeftOut = ignores ? ignoredIn(files) : async () => false
  const ignored = new Set<string>()
  const paths = new Set<string>()
  const add = async (path: string) => {
    if (await isLeftOut(path)) ignored.add(path)
    else paths.add(path)
  }
  for (const path of await listLayout(files)) await add(path)
  const first = await readAll(files, paths.has(INDEX_FILE) ? [INDEX_FILE] : [])
  await addNamed(files, namedFiles(first.texts), paths, add)
  const mapped = [preludesIn(first.texts), catalogsIn(first.texts)]
  const own = [...paths].filter(path => isLookedInto(path) || isClosedFolder(path) || mapped.some(is => is(path)))
  const read = await readAll(files, own)
  const named = namedFiles(read.texts, paths)
  await addNamed(files, named, paths, add)
  const context = await readAll(
    files,
    named.filter(path => paths.has(path) && !own.includes(path) && !isImage(path)),
  )
  for (const path of extra.keys()) paths.add(path)
  const texts = new Map([...read.texts, ...context.texts, ...extra])
  const found = lintLayout({ paths, texts, ignored, packs, checkSchema: schemaFault }, config)
  // For context that is not text, the prelude that names it has the finding.
  const findings = [...weigh(read.unread, config), ...found].sort(byPlace)
  return { files: [...own, ...context.texts.keys()], texts, findings, shares: workflowShares(texts) }
}

/** Files and folders that lie outside the layout, and are named by a file of it. */
async function addNamed(files: Files, named: readonly string[], paths: ReadonlySet<string>, add: (path: string) => Promise<void>) {
  for (const path of named) {
    if (paths.has(path)) continue
    const kind = await files.kind(path)
    if (kind === 'file') await add(path)
    if (kind === 'folder') for (const one of await files.list(path)) await add(one)
  }
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
