// Reads the roles of a repo from docs/templates. Reads at every call, caches nothing, and reads nothing outside the repo.
import { lstat, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MOST_ROLE_BYTES, ROLE_FOLDER, roleNameProblem, rolePath } from '../../core/role/role-name.ts'
import { Fault } from '../../errors.ts'
import type { RoleFiles } from '../../ports.ts'
import { readUtf8, realInside } from '../folder/read-inside.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'

export function repoRoles(root: string): RoleFiles {
  const base = resolve(root)

  /** Null when there is no such file. Any other problem is a fault: a silent fallback to another role would be a surprise. */
  const realPlace = async (path: string): Promise<string | null> => {
    try {
      return await realInside(base, path)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw unreadable(path, error)
      const reason = await brokenOff(base, path)
      if (reason !== null) throw new Fault('role_template_unreadable', { path, reason }, { cause: error })
      return null
    }
  }

  return {
    async read(name) {
      const problem = roleNameProblem(name)
      if (problem !== null) throw new Fault('role_name_invalid', { problem })
      const path = rolePath(name)
      const real = await realPlace(path)
      if (real === null) return null
      const read = await readUtf8(real, MOST_ROLE_BYTES, true).catch(error => Promise.reject(unreadable(path, error)))
      if (!read.ok) throw new Fault('role_template_unreadable', { path, reason: read.message })
      return read.text
    },

    async list() {
      const real = await realPlace(ROLE_FOLDER)
      const names = real === null ? [] : await readdir(real).catch(error => Promise.reject(unreadable(ROLE_FOLDER, error)))
      return names.flatMap(name => /^([^.].*)\.md$/s.exec(name)?.[1] ?? []).sort()
    },
  }
}

/** A link to nothing is not nothing, and neither is a repo that is gone. */
async function brokenOff(base: string, path: string): Promise<string | null> {
  if ((await stat(base).catch(nothing)) === null) return 'the repo is not there'
  let place = base
  for (const part of path.split('/')) {
    place = join(place, part)
    if ((await stat(place).catch(nothing)) !== null) continue
    return (await lstat(place).catch(nothing)) === null ? null : 'a link leads nowhere'
  }
  return null
}

const nothing = (): null => null

const unreadable = (path: string, error: unknown): Fault =>
  new Fault(
    'role_template_unreadable',
    { path, reason: error instanceof Fault ? 'it leads out of the repo' : reasonOf(error) },
    { cause: error },
  )
