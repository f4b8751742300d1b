// Which paths of a repo no tool may change, and which none may even look at: what says what agents are told and allowed is not theirs to write. Opens nothing.
import { realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { ROLE_FOLDER } from '../../core/role/role-name.ts'
import { isWithin } from '../../core/workspace/path.ts'
import { folded } from './repo-path.ts'

/** Where a workspace that is the root of the repo has its content. */
const CONTENT = [ROLE_FOLDER, 'prompts', 'tools', 'agents', 'workflows', 'schemas', 'context']
/** In any folder: a repo inside the repo is obeyed by git as well, and a workspace may lie anywhere. Windows knows .git by a second name. */
const ANYWHERE = /^(?:\.git|git~\d+|\.onbook|onbook\..+\.(?:ya?ml|json)|agent\.workspace\.json)$/
const DATA_FOLDER = '.onbook'

export interface Protection {
  /** From the root of the repo, or absolute. */
  readonly protect: readonly string[]
  readonly hide: readonly string[]
}

/** Paths are real, from the root, by their parts. */
export interface ProtectedPaths {
  mayRead(parts: readonly string[]): boolean
  mayWorkIn(parts: readonly string[]): boolean
  mayChange(parts: readonly string[]): boolean
}

/** Looked up at every call: what is a link now may lead elsewhere tomorrow. */
export async function protectedPaths(root: string, { protect, hide }: Protection): Promise<ProtectedPaths> {
  const [kept, hidden] = await Promise.all([placesOf(root, [...CONTENT, ...protect, ...hide]), placesOf(root, hide)])
  const mayWorkIn = (parts: readonly string[]): boolean => {
    const names = parts.map(folded)
    return !names.some(name => ANYWHERE.test(name)) && !kept.some(place => isWithin(names.join('/'), place))
  }
  return {
    mayRead(parts) {
      const names = parts.map(folded)
      return !names.includes(DATA_FOLDER) && !hidden.some(place => isWithin(names.join('/'), place))
    },
    mayWorkIn,
    // To change what stands above it is to change it.
    mayChange: parts => mayWorkIn(parts) && !kept.some(place => isWithin(place, parts.map(folded).join('/'))),
  }
}

/** As they are written, and where they lead. */
async function placesOf(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const places = await Promise.all(
    paths.map(async path => {
      const full = resolve(root, path)
      return [full, await realpath(full).catch(() => full)]
    }),
  )
  const inside = places.flat().map(place => relative(root, place).split(sep))
  return [...new Set(inside.filter(([first]) => first !== '..').map(parts => parts.map(folded).join('/')))]
}
