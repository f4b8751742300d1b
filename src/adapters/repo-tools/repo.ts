// The common base of the repo tools: limits, resolution of paths, and system errors as faults. Changes nothing itself.
import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { isObject } from '../../core/digest/is-object.ts'
import { shown } from '../../core/resolve/prompt-ref.ts'
import { Fault } from '../../errors.ts'
import type { BoundCall } from '../../ports.ts'
import { realInside } from '../folder/read-inside.ts'
import { codeOf, reasonOf } from '../processes/reasons.ts'
import { allowedAt, type Protection } from './protected-paths.ts'
import type { RepoFolder } from './repo-folder.ts'
import { partsOf } from './repo-path.ts'

export interface RepoLimits {
  readonly readBytes: number
  readonly writeBytes: number
  readonly entries: number
  readonly commandMs: number
  /** The limit of a command's recorded output. */
  readonly outputCharacters: number
}

export interface Repo {
  readonly folder: string
  readonly protection: Protection
  readonly limits: RepoLimits
  /** Names of variables that commands are given besides those that every command gets. */
  readonly env: readonly string[]
  readonly readHardLinks: boolean
  readonly secretsFile?: string
}

/** The arguments fit the descriptor, so a missing text was left out. */
export const textIn = ({ arguments: given }: Pick<BoundCall, 'arguments'>, name: string): string | undefined => {
  const value = isObject(given) ? given[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Where it really is. */
export const rootOf = ({ folder }: Repo): Promise<string> =>
  realpath(folder).catch(error =>
    Promise.reject(new Fault('file_unreadable', { path: 'the repo', reason: reasonOf(error) }, { cause: error })),
  )

/** Resolves a path with its links. The result holds only until a link changes, so the caller walks it without following any. */
export async function placeOf(repo: Repo, path: string, use: 'read' | 'work in'): Promise<RepoFolder> {
  const said = partsOf(path)
  const root = await rootOf(repo)
  const refuseUnlessAllowed = async (parts: readonly string[]): Promise<void> => {
    const { mayRead, mayWorkIn } = await allowedAt(root, repo.protection, parts)
    if (!(use === 'read' ? mayRead : mayWorkIn)) throw new Fault('repo_path_protected', { path, use })
  }
  // Before any lookup: the answer must not reveal whether a file exists in a hidden folder.
  await refuseUnlessAllowed(said)
  const real = await realInside(root, said.join('/')).catch(error =>
    Promise.reject(error instanceof Fault ? new Fault('repo_path_outside', { path }) : error),
  )
  const parts = relative(root, real)
    .split(sep)
    .filter(part => part !== '')
  await refuseUnlessAllowed(parts)
  return { root, parts }
}

/** Other codes are those of Node, for what only a defect does. */
const SYSTEM_CODE = /^E[A-Z0-9]+$/

/** System errors name descriptors of this process; the model gets the path that it gave. */
export async function telling<T>(code: 'file_unreadable' | 'file_unwritable', path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Fault || !SYSTEM_CODE.test(codeOf(error) ?? '')) throw error
    if (codeOf(error) === 'ENOENT') throw new Fault('path_missing', { path: shown(path) }, { cause: error })
    throw new Fault(code, { path: shown(path), reason: reasonOf(error).replace(/, \w+ '.*$/s, '') }, { cause: error })
  }
}
