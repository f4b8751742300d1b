// Lists every role, including unusable ones with their problems.
import type { Capability } from '../../core/gate/capability.ts'
import type { Severity } from '../../core/lint/rule.ts'
import type { Position } from '../../core/pack/place.ts'
import { readRole } from '../../core/role/role.ts'
import { roleNameProblem } from '../../core/role/role-name.ts'
import { shippedRoles } from '../../core/role/shipped-roles.ts'
import { Fault } from '../../errors.ts'
import type { RoleFiles } from '../../ports.ts'
import { MOST_PROBLEMS, type RoleSource } from './load-role.ts'

export interface ListedProblem {
  readonly severity: Severity
  readonly message: string
  /** Null when it is about the file as a whole. */
  readonly position: Position | null
  readonly suggestion?: string
}

export interface ListedRole {
  readonly name: string
  readonly source: RoleSource
  /** Null when it cannot be used. */
  readonly version: string | null
  readonly requests: readonly Capability[]
  /** Whether it hides a shipped role of this name. */
  readonly shadows: boolean
  readonly problems: readonly ListedProblem[]
}

/** In the order of UTF-16 units: the same everywhere. */
export async function listRoles(files: RoleFiles | null): Promise<readonly ListedRole[]> {
  const own = files === null ? [] : await ownRoles(files)
  const taken = new Set(own.map(({ name }) => name))
  const shipped = [...shippedRoles].filter(([name]) => !taken.has(name)).map(([name, raw]) => listed(raw, name, 'shipped'))
  return [...own, ...shipped].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** One after the other: there may be many, and only so many files may be open. */
async function ownRoles(files: RoleFiles): Promise<readonly ListedRole[]> {
  const found: ListedRole[] = []
  for (const name of await files.list()) {
    const role = await ownRole(files, name)
    if (role !== null) found.push(role)
  }
  return found
}

/** Null when it is gone meanwhile. */
async function ownRole(files: RoleFiles, name: string): Promise<ListedRole | null> {
  const problem = roleNameProblem(name)
  if (problem !== null) return unusable(name, problem)
  try {
    const raw = await files.read(name)
    return raw === null ? null : listed(raw, name, 'repo')
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return unusable(name, error.message)
  }
}

function listed(raw: string, name: string, source: RoleSource): ListedRole {
  const read = readRole(raw, name)
  const { version, requests } = read.ok ? read.role : { version: null, requests: [] }
  const problems = read.problems.slice(0, MOST_PROBLEMS)
  return { name, source, version, requests, shadows: source === 'repo' && shippedRoles.has(name), problems }
}

const unusable = (name: string, message: string): ListedRole => ({
  name,
  source: 'repo',
  version: null,
  requests: [],
  shadows: shippedRoles.has(name),
  problems: [{ severity: 'error', message, position: null }],
})
