// onbook workspace list, log, diff, show: lists workspaces, their versions, differences and files.
import { dirname } from 'node:path/posix'
import type { Book } from '../../book.ts'
import type { WorkspaceDifference, WorkspaceEntry, WorkspaceSummary } from '../../client/index.ts'
import type { Input } from '../commands.ts'
import { withRecordBook } from '../host/record-book.ts'
import { show as showBytes } from '../record/object.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { printChecks } from './checks.ts'
import { bytesText, pathArgument, shownPath } from './format.ts'
import { choiceOf, versionNumber } from './open-workspaces.ts'

export const list = (input: Input): Promise<number> =>
  withRecordBook(input, async book => {
    const found: WorkspaceSummary[] = []
    for await (const one of book.workspaces.list()) found.push(one)
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
  withRecordBook(input, async book => {
    const { workspace, version } = choiceOf(input.name)
    const found: WorkspaceSummary[] = []
    for await (const { checks: _, ...one } of book.workspaces.versions(workspace))
      if (version === undefined || one.version <= version) found.push(one)
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

/** Exits with 1 when the versions differ. */
export const diff = (input: Input): Promise<number> =>
  withRecordBook(input, async book => {
    const { workspace, version } = choiceOf(input.name)
    const from = input.from === undefined ? undefined : versionNumber(input.from, 0)
    const to = input.to === undefined ? version : versionNumber(input.to, 1)
    const path = typeof input.path === 'string' ? pathArgument(input.path) : undefined
    const found = await book.workspaces.diff(workspace, given({ from, to, path }))
    if (input.json) printJson(found)
    else {
      process.stdout.write(visible(`${workspace}: version ${found.from} to ${found.to}`))
      process.stdout.write(found.changes.length === 0 ? ': nothing is different.\n' : `\n${found.changes.map(lineOf).join('')}`)
    }
    return found.changes.length === 0 ? 0 : 1
  })

const SIGNS = { added: '+', removed: '-', changed: '~', mode: 'm', annotations: 'a' } as const

function lineOf({ path, kind, from, to }: WorkspaceDifference['changes'][number]): string {
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
  withRecordBook(input, async book => {
    const { workspace, ...choice } = choiceOf(input.name)
    if (input.checks) {
      printChecks(await book.workspaces.checks(workspace, choice), input)
      return 0
    }
    const { head: _, ...version } = await book.workspaces.get(workspace, choice)
    if (typeof input.path === 'string') return showFile(book, version, pathArgument(input.path), input)
    const entries: WorkspaceEntry[] = []
    for await (const entry of book.workspaces.tree(workspace, { version: version.version })) entries.push(entry)
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

async function showFile(book: Book, { workspace, version }: WorkspaceSummary, path: string, input: Input): Promise<number> {
  const bytes = await book.workspaces.read(workspace, path, { version })
  if (!input.json) {
    await showBytes(pieces(bytes))
    return 0
  }
  const folder = dirname(path)
  for await (const { path: at, kind: _, ...file } of book.workspaces.tree(workspace, {
    version,
    ...(folder === '.' ? {} : { path: folder }),
  }))
    if (at === path) {
      printJson({ workspace, version, path, ...file })
      break
    }
  return 0
}

async function* pieces(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/** Removes undefined options. */
const given = <T extends object>(options: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
