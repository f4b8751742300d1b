// Which paths of a repo no tool may change, and which none may even look at: what says what agents are told and allowed is not theirs to write. Opens nothing.
import { lstat, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { ROLE_FOLDER } from '../../core/role/role-name.ts'
import { isWithin } from '../../core/workspace/path.ts'
import { folded } from './repo-path.ts'

/** Where a workspace has its content. */
const CONTENT = [ROLE_FOLDER, 'prompts', 'tools', 'agents', 'workflows', 'schemas', 'context']
/** The root of a repo is always taken for one, any other folder when one of these lies in it. */
const WORKSPACE_FILES = ['agent.workspace.json', 'onbook.config.yaml', 'onbook.registry.json']
/** In any folder: a repo inside the repo is obeyed by git as well, and a workspace may lie anywhere. Windows knows .git by a second name. */
const ANYWHERE = /^(?:\.git|git~\d+|\.onbook|onbook\..+\.(?:ya?ml|json)|agent\.workspace\.json)$/
const DATA_FOLDER = '.onbook'

export interface Protection {
  /** From the root of the repo, or absolute. */
  readonly protect: readonly string[]
  readonly hide: readonly string[]
}

export interface Allowed {
  readonly mayRead: boolean
  readonly mayWorkIn: boolean
  readonly mayChange: boolean
}

/**
 * Looked up at every call: what is a link now may lead elsewhere tomorrow.
 * @param parts of a path that is real, from the root
 */
export async function allowedAt(root: string, { protect, hide }: Protection, parts: readonly string[]): Promise<Allowed> {
  const [hidden, named, content] = await Promise.all([placesOf(root, hide), placesOf(root, protect), contentAbove(root, parts)])
  const kept = [...hidden, ...named, ...content]
  const names = parts.map(folded)
  const path = names.join('/')
  const mayWorkIn = !names.some(name => ANYWHERE.test(name)) && !kept.some(place => isWithin(path, place))
  return {
    mayRead: !names.includes(DATA_FOLDER) && !hidden.some(place => isWithin(path, place)),
    mayWorkIn,
    // To change what stands above it is to change it.
    mayChange: mayWorkIn && !kept.some(place => isWithin(place, path)),
  }
}

/** Of every workspace that the path goes through. */
async function contentAbove(root: string, parts: readonly string[]): Promise<readonly string[]> {
  const folders = parts.map((_, index) => join(root, ...parts.slice(0, index + 1)))
  const workspaces = await Promise.all(folders.map(async folder => ((await isWorkspace(folder)) ? [folder] : [])))
  return placesOf(
    root,
    [root, ...workspaces.flat()].flatMap(folder => CONTENT.map(name => join(folder, name))),
  )
}

const isWorkspace = async (folder: string): Promise<boolean> =>
  (await Promise.all(WORKSPACE_FILES.map(name => lstat(join(folder, name)).catch(() => null)))).some(found => found !== null)

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
