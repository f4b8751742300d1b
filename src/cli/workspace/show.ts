// onbook workspace list, log, diff, show: what is there, what came when, what is different.
import type { TreeDifference } from '../../core/workspace/diff.ts'
import { diffVersions, listFiles, openFile } from '../../engine/workspaces/read.ts'
import { listVersions, listWorkspaces, type WorkspaceVersion } from '../../engine/workspaces/versions.ts'
import type { Input } from '../commands.ts'
import { show as showBytes } from '../record/object.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { showChecks } from './checks.ts'
import { bytesText, pathArgument, shownPath } from './format.ts'
import { choiceOf, versionNumber, withWorkspaces } from './open-workspaces.ts'

export const list = (input: Input): Promise<number> =>
  withWorkspaces(input, async (store, user) => {
    const found: WorkspaceVersion[] = []
    for await (const one of listWorkspaces(store, user)) found.push(one)
    const all = firstRows(found, input)
    if (input.json) printJson({ workspaces: all })
    else if (all.length === 0) process.stdout.write('No workspaces yet: onbook publish <folder> --workspace <name>\n')
    else
      process.stdout.write(
        columns([
          ['workspace', 'version', 'files', 'size', 'since', 'by'],
          ...all.map(one => [one.workspace, String(one.version), String(one.files), bytesText(one.bytes), one.at, one.actor]),
        ]),
      )
    return 0
  })

export const log = (input: Input): Promise<number> =>
  withWorkspaces(input, async (store, user) => {
    const { workspace, version } = choiceOf(input.name)
    const found: WorkspaceVersion[] = []
    for await (const one of listVersions(store, user, workspace, version === undefined ? undefined : version + 1)) found.push(one)
    const versions = firstRows(found, input)
    if (input.json) printJson({ workspace, versions })
    else
      process.stdout.write(
        columns([
          ['version', 'files', 'size', 'when', 'by', 'message'],
          ...versions.map(one => [String(one.version), String(one.files), bytesText(one.bytes), one.at, one.actor, one.message ?? '']),
        ]),
      )
    return 0
  })

/** Ends with 1 when something is different. */
export const diff = (input: Input): Promise<number> =>
  withWorkspaces(input, async (store, user) => {
    const { workspace, version } = choiceOf(input.name)
    const from = input.from === undefined ? undefined : versionNumber(input.from, 0)
    const to = input.to === undefined ? version : versionNumber(input.to, 1)
    const path = typeof input.path === 'string' ? pathArgument(input.path) : undefined
    const found = await diffVersions(store, user, { workspace, from, to, path })
    if (input.json) printJson({ workspace, ...found })
    else {
      process.stdout.write(visible(`${workspace}: version ${found.from} to ${found.to}`))
      process.stdout.write(found.changes.length === 0 ? ': nothing is different.\n' : `\n${found.changes.map(lineOf).join('')}`)
    }
    return found.changes.length === 0 ? 0 : 1
  })

const SIGNS = { added: '+', removed: '-', changed: '~', mode: 'm', annotations: 'a' } as const

function lineOf({ path, kind, from, to }: TreeDifference): string {
  const what = {
    added: () => bytesText(to!.size),
    removed: () => bytesText(from!.size),
    changed: () =>
      `${bytesText(from!.size)} → ${bytesText(to!.size)}${from!.mode === to!.mode ? '' : `, mode ${from!.mode} → ${to!.mode}`}`,
    mode: () => `mode ${from!.mode} → ${to!.mode}`,
    annotations: () => 'annotations',
  }[kind]()
  return `${SIGNS[kind]} ${visible(path === '' ? '(the root)' : shownPath(path))}  (${what})\n`
}

export const show = (input: Input): Promise<number> =>
  withWorkspaces(input, async (store, user) => {
    const choice = choiceOf(input.name)
    if (input.checks) return showChecks(store, user, choice, input)
    if (typeof input.path === 'string') {
      const path = pathArgument(input.path)
      const { bytes, version, name: _, ...file } = await openFile(store, user, choice, path)
      if (input.json) printJson({ workspace: version.workspace, version: version.version, path, ...file })
      else await showBytes(bytes())
      return 0
    }
    const { version, entries } = await listFiles(store, user, { ...choice, scope: 'subtree' })
    if (input.json) printJson({ ...version, entries: firstRows(entries, input) })
    else {
      const files = firstRows(
        entries.filter(({ kind }) => kind === 'file'),
        input,
      )
      process.stdout.write(visible(`${version.workspace}, version ${version.version}, by ${version.actor} at ${version.at}`))
      process.stdout.write(`\n${version.root}\n`)
      process.stdout.write(
        columns([['mode', 'size', 'path'], ...files.map(({ mode, size, path }) => [mode, String(size), shownPath(path)])]),
      )
    }
    return 0
  })
