// onbook init: scaffold a workspace that checks and tests. Writes only where nothing is.
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderFiles } from '../adapters/folder-files.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { printJson } from './terminal.ts'

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))
const SCHEMAS = ['prompt-pack.schema.json', 'config.schema.json', 'registry.schema.json']

export async function init(input: Input): Promise<number> {
  const dir = String(input.dir ?? '.')
  const target = resolve(dir)
  if (!(await isFree(target))) throw new Fault('folder_not_empty', { path: dir })
  const scaffold = join(PACKAGE, 'scaffold')
  const files = folderFiles(target)
  const written: string[] = []
  const write = async (path: string, from: string) => {
    const text = await readFile(from, 'utf8')
    const named = path === 'package.json' ? text.replace('"my-prompts"', JSON.stringify(packageName(target))) : text
    if (!(await files.createText(path, named))) throw new Fault('path_exists', { path: join(dir, path) })
    written.push(path)
  }
  for (const entry of await readdir(scaffold, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const from = join(entry.parentPath, entry.name)
    await write(
      relative(scaffold, from)
        .replace(/(^|[/\\])_gitignore$/, '$1.gitignore')
        .replaceAll('\\', '/'),
      from,
    )
  }
  for (const name of SCHEMAS) await write(`schemas/onbook/${name}`, join(PACKAGE, 'schemas', name))
  report(dir, written.sort(), input.json === true)
  return 0
}

function report(dir: string, written: readonly string[], json: boolean): void {
  if (json) return printJson({ dir, files: written })
  const at = dir === '.' ? '' : ` ${dir}`
  process.stdout.write(`Wrote ${written.length} files to ${dir}.\n\nNext:\n  npx onbook check${at}\n  npx onbook test${at}\n`)
}

/** Empty, or not there yet. */
async function isFree(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found === null) return true
  if (!found.isDirectory()) return false
  return (await readdir(path)).every(name => name === '.git')
}

const packageName = (path: string): string =>
  basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'my-prompts'
