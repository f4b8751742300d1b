// onbook init: scaffolds a workspace that passes check and test. Overwrites nothing, and writes all files or none.
import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderFiles } from '../adapters/folder/folder-files.ts'
import { codeOf, reasonOf } from '../adapters/processes/reasons.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { printJson } from './terminal.ts'

export const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))
const SCHEMAS = ['prompt-pack.schema.json', 'config.schema.json', 'registry.schema.json']
/** The prefix of temporary folders. The leftovers of a killed init do not block the next one. */
const TEMPORARY = '.onbook-init-'

/** A file of the new workspace, and the file it is copied from. */
export interface Planned {
  readonly path: string
  readonly from: string
}

export async function init(input: Input): Promise<number> {
  const dir = String(input.dir ?? '.')
  const planned = await planFiles()
  await scaffold(dir, planned)
  report(dir, planned.map(({ path }) => path).sort(), input.json === true)
  return 0
}

async function planFiles(): Promise<readonly Planned[]> {
  const source = join(PACKAGE, 'scaffold')
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const own = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return [
    ...own.map(from => ({ path: placeOf(relative(source, from)), from })),
    ...SCHEMAS.map(name => ({ path: `schemas/onbook/${name}`, from: join(PACKAGE, 'schemas', name) })),
  ]
}

/** npm leaves .gitignore files out of a package, so the template has another name. */
const placeOf = (path: string): string => path.replace(/(^|[/\\])_git(ignore|attributes)$/, '$1.git$2').replaceAll('\\', '/')

/** Writes everything into a temporary folder first: a failure half-way leaves nothing that would block the next try. */
export async function scaffold(dir: string, planned: readonly Planned[]): Promise<void> {
  const target = resolve(dir)
  const found = await stat(target).catch(() => null)
  if (found?.isDirectory() === false) throw new Fault('folder_not_empty', { path: dir })
  try {
    if (found === null) await createFolder(target, planned)
    else await fillFolder(target, planned)
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY') throw new Fault('folder_not_empty', { path: dir }, { cause: error })
    if (error instanceof Fault || codeOf(error) === undefined) throw error
    throw new Fault('file_unwritable', { path: dir, reason: reasonOf(error) }, { cause: error })
  }
}

async function createFolder(target: string, planned: readonly Planned[]): Promise<void> {
  const parent = dirname(target)
  const firstMade = await mkdir(parent, { recursive: true })
  const temporary = join(parent, `${TEMPORARY}${randomUUID()}`)
  try {
    await writeAll(temporary, basename(target), planned)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    if (firstMade !== undefined) await removeEmpty(parent, firstMade)
    throw error
  }
}

/** The temporary folder is inside the target: the parent may be on another disk, or belong to another user. */
async function fillFolder(target: string, planned: readonly Planned[]): Promise<void> {
  const temporary = join(target, `${TEMPORARY}${randomUUID()}`)
  const moved: string[] = []
  try {
    await writeAll(temporary, basename(target), planned)
    await moveInto(temporary, target, '', moved)
  } catch (error) {
    for (const place of moved) await rm(place, { recursive: true, force: true })
    throw error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Moves new entries whole, and fills existing folders. Replaces nothing, and follows no link. */
async function moveInto(from: string, target: string, above: string, moved: string[]): Promise<void> {
  for (const entry of (await readdir(join(from, above), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(above, entry.name)
    const place = join(target, path)
    const found = await lstat(place).catch(() => null)
    if (found !== null && entry.isDirectory() && found.isDirectory()) {
      await moveInto(from, target, path, moved)
      continue
    }
    if (found !== null) throw new Fault('path_exists', { path })
    await rename(join(from, path), place)
    moved.push(place)
  }
}

async function writeAll(folder: string, name: string, planned: readonly Planned[]): Promise<void> {
  await mkdir(folder)
  const files = folderFiles(folder)
  for (const { path, from } of planned) {
    const text = await readFile(from, 'utf8').catch((error: unknown) => {
      throw new Fault('file_unreadable', { path: from, reason: reasonOf(error) }, { cause: error })
    })
    const named = path === 'package.json' ? text.replace('"my-prompts"', JSON.stringify(packageName(name))) : text
    if (!(await files.createText(path, named))) throw new Fault('path_exists', { path })
  }
}

/** Removes empty folders, from `folder` up to `top`. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  for (let at = folder; at.length >= top.length; at = dirname(at)) await rmdir(at).catch(() => undefined)
}

function report(dir: string, written: readonly string[], json: boolean): void {
  if (json) return printJson({ dir, files: written })
  const [where, at] = dir === '.' ? ['here', ''] : [`to ${dir}`, ` ${dir}`]
  process.stdout.write(`Wrote ${written.length} files ${where}.\n\nNext:\n  npx onbook check${at}\n  npx onbook test${at}\n`)
}

const packageName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'my-prompts'
