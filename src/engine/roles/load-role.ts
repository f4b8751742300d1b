// Folder: Finds the file of a role: the repo's own, else the shipped one.
// Finds and reads the file of a role: the repo's own, else the shipped one. An unusable file is a fault, and no other file replaces it.
import { type Digest, digestText, hexOf } from '../../core/digest/digest.ts'
import { isVersion, pinnedText } from '../../core/resolve/prompt-ref.ts'
import { type RoleFile, type RoleProblem, readRole } from '../../core/role/role.ts'
import { roleNameProblem, rolePath } from '../../core/role/role-name.ts'
import { shippedRoles } from '../../core/role/shipped-roles.ts'
import { Fault } from '../../errors.ts'
import type { RoleFiles } from '../../ports.ts'

export type RoleSource = 'repo' | 'shipped'

export interface LoadedRole {
  readonly role: RoleFile
  readonly source: RoleSource
  /** `prompt:role.<name>@<version>`; the version follows from the text if a ref cannot have the file's own version. */
  readonly ref: string
  /** The digest of the whole file. */
  readonly digest: Digest
}

/** A file may have thousands of problems; a longer list would not be read. */
export const MOST_PROBLEMS = 100

const SHIPPED = 'the shipped roles'

/** @param files null where there is no repo. */
export async function loadRole(files: RoleFiles | null, name: string): Promise<LoadedRole> {
  const problem = roleNameProblem(name)
  if (problem !== null) throw new Fault('role_name_invalid', { problem })
  const own = files === null ? null : await files.read(name)
  const known = own === null ? shipped.get(name) : undefined
  if (known !== undefined) return known
  const raw = own ?? shippedRoles.get(name)
  if (raw === undefined)
    throw new Fault('role_template_missing', { role: name, looked: files === null ? SHIPPED : `${rolePath(name)} and ${SHIPPED}` })
  const loaded = roleFrom(raw, name, own === null ? 'shipped' : 'repo')
  if (own === null) shipped.set(name, loaded)
  return loaded
}

/** Parses the role in a file. */
export function roleFrom(raw: string, name: string, source: RoleSource): LoadedRole {
  const read = readRole(raw, name)
  if (!read.ok) throw invalid(name, source === 'shipped' ? SHIPPED : rolePath(name), read.problems)
  const digest = digestText(raw)
  return { role: read.role, source, ref: refOf(read.role, digest), digest }
}

/** They never change: each is read once. */
const shipped = new Map<string, LoadedRole>()

function refOf({ name, version }: RoleFile, digest: Digest): string {
  return pinnedText(`role.${name}`, isVersion(version) ? version : `0.0.0+${hexOf(digest).slice(0, 12)}`)
}

function invalid(role: string, where: string, problems: readonly RoleProblem[]): Fault {
  const errors = problems.filter(({ severity }) => severity === 'error').slice(0, MOST_PROBLEMS)
  const [first] = errors.map(({ message, position: { line, column } }) => `${line}:${column} ${message}`)
  const problem = errors.length === 1 ? first! : `${first}, and more`
  return new Fault('role_template_invalid', { role, where, problem, problems: errors })
}
