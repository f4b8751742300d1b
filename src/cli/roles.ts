// onbook role: lists and shows roles, and creates a file to begin with. Reads files of the repo only: no host is asked.
import { relative, resolve } from 'node:path'
import { folderFiles } from '../adapters/folder/folder-files.ts'
import { repoRoles } from '../adapters/repo/repo-roles.ts'
import { repoOf } from '../book/repo-folder.ts'
import { roleNameProblem, rolePath } from '../core/role/role-name.ts'
import { shippedRoles } from '../core/role/shipped-roles.ts'
import { newRole } from '../core/role/skeleton.ts'
import { type ListedRole, listRoles } from '../engine/roles/list-roles.ts'
import { loadRole } from '../engine/roles/load-role.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { columns } from './report/columns.ts'
import { visible } from './report/visible.ts'
import { printContent, printJson } from './terminal.ts'

/** Exits with 1 when a role cannot be used. */
export async function list(input: Input): Promise<number> {
  const repo = repoOf(input)
  const roles = await listRoles(repoRoles(repo))
  if (input.json) printJson({ roles })
  else {
    process.stdout.write(columns([['role', 'version', 'from', 'requests'], ...roles.map(rowOf)]))
    process.stdout.write(roles.flatMap(role => problemLines(role, shownPath(repo, role.name))).join(''))
  }
  return roles.every(({ version }) => version !== null) ? 0 : 1
}

const rowOf = ({ name, version, source, shadows, requests }: ListedRole): readonly string[] => [
  name,
  version ?? '-',
  shadows ? 'repo, instead of the shipped one' : source,
  requests.join(', ') || 'none',
]

const problemLines = ({ problems }: ListedRole, path: string): readonly string[] =>
  problems.map(({ severity, message, position, suggestion }) => {
    const at = position === null ? '' : `:${position.line}:${position.column}`
    return `${visible(`${path}${at} ${severity}: ${message}${suggestion === undefined ? '' : ` (${suggestion})`}`)}\n`
  })

const shownPath = (repo: string, name: string): string => relative(process.cwd(), resolve(repo, rolePath(name)))

export async function show(input: Input): Promise<number> {
  const { role, ...loaded } = await loadRole(repoRoles(repoOf(input)), String(input.name))
  if (input.json) printJson({ ...role, ...loaded })
  else {
    const text = input.raw ? role.raw : role.text
    printContent(text)
  }
  return 0
}

export async function init(input: Input): Promise<number> {
  const name = String(input.name)
  const problem = roleNameProblem(name)
  if (problem !== null) throw new Fault('role_name_invalid', { problem })
  const repo = repoOf(input)
  const shipped = shippedRoles.get(name)
  const path = shownPath(repo, name)
  if (!(await folderFiles(repo).createText(rolePath(name), shipped ?? newRole(name)))) throw new Fault('path_exists', { path })
  if (input.json) printJson({ name, path, from: shipped === undefined ? 'beginning' : 'shipped' })
  else process.stdout.write(`Wrote ${path}. ${shipped === undefined ? MADE : COPIED}\n`)
  return 0
}

const MADE = 'It may only read: say what it is for, and request what it needs.'
const COPIED = 'Runs that start from now on use it instead of the shipped role.'
