// Resolves paths on the command line to workspaces and the selected files in them.
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { folderFiles } from '../adapters/folder/folder-files.ts'
import { POLICY_FILE } from '../core/gate/read-policy.ts'
import { INDEX_FILE } from '../core/workspace/index-file.ts'
import { CONFIG_FILE, isPackFile, openWorkspace, REGISTRY_FILE, type Workspace } from '../engine/packs/pack-folder.ts'

export interface Target {
  readonly root: string
  readonly workspace: Workspace
  /** The selected packs, relative to the workspace. */
  readonly packs: readonly string[]
  /** The named paths, relative to the workspace; empty for all of it. */
  readonly within: readonly string[]
  /** Whether the whole workspace is selected, and so its own files. */
  readonly whole: boolean
  /** Whether single files are named: then a pack need not be among them. */
  readonly named: boolean
  /** The path relative to the working directory of the user. */
  readonly shown: (path: string) => string
}

export interface Located {
  readonly targets: readonly Target[]
  /** Paths that do not exist. */
  readonly missing: readonly string[]
}

export async function locate(paths: readonly string[], cwd = process.cwd()): Promise<Located> {
  const asked = paths.length === 0 ? ['.'] : paths
  const missing = asked.filter(path => !existsSync(resolve(cwd, path)))
  const targets = await Promise.all([...groupByRoot(asked, missing, cwd)].map(([root, inside]) => openTarget(root, inside, cwd)))
  return { targets, missing }
}

function groupByRoot(asked: readonly string[], missing: readonly string[], cwd: string): ReadonlyMap<string, readonly string[]> {
  const byRoot = new Map<string, string[]>()
  for (const path of asked) {
    if (missing.includes(path)) continue
    const full = resolve(cwd, path)
    const root = findRoot(full)
    byRoot.set(root, [...(byRoot.get(root) ?? []), full])
  }
  return byRoot
}

/** Folders that mark their parent as the root. */
const HELD = /[\\/](?:prompts|docs[\\/]templates)(?=[\\/])/g

/** These names are common: they mark a root only when nothing else does. */
const DEFINITIONS: readonly string[] = ['agents', 'workflows']

/**
 * The nearest folder upwards that looks like a workspace; else the parent of prompts/ or docs/templates/, or of this folder when it is called agents/
 * or workflows/; else the folder itself.
 */
export function findRoot(full: string): string {
  // A policy file belongs to its own folder, whatever is above it.
  if (basename(full) === POLICY_FILE) return dirname(full)
  const start = statSync(full).isDirectory() ? full : dirname(full)
  for (let folder = start; ; folder = dirname(folder)) {
    if ([CONFIG_FILE, REGISTRY_FILE, INDEX_FILE].some(name => existsSync(join(folder, name)))) return folder
    if (dirname(folder) === folder) break
  }
  const held = [...`${start}${sep}`.matchAll(HELD)].at(-1)
  if (held !== undefined) return start.slice(0, held.index)
  return DEFINITIONS.includes(basename(start)) && !existsSync(join(start, 'prompts')) ? dirname(start) : start
}

async function openTarget(root: string, inside: readonly string[], cwd: string): Promise<Target> {
  const workspace = await openWorkspace(folderFiles(root))
  const relatives = inside.map(full => relative(root, full).split(sep).join('/'))
  const packs = new Set<string>()
  for (const path of relatives) {
    if (path === '') for (const pack of workspace.packs) packs.add(pack)
    else if (statSync(resolve(root, path)).isDirectory()) {
      const below = (await workspace.files.list(path)).filter(isPackFile)
      for (const pack of below) packs.add(pack)
    } else if (isPackFile(path)) packs.add(path)
  }
  return {
    root,
    workspace,
    packs: [...packs].sort(),
    within: relatives,
    whole: relatives.includes(''),
    named: inside.some(full => !statSync(full).isDirectory()),
    shown: path => relative(cwd, resolve(root, path)).split(sep).join('/'),
  }
}
