// Decides which paths of a repo tools may not change, and which they may not read: agents must not write their own prompts and permissions.
// Opens nothing.
import { lstat, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { ROLE_FOLDER } from '../../core/role/role-name.ts'
import { isWithin } from '../../core/workspace/path.ts'
import { folded } from './repo-path.ts'

/** Where a workspace has its content. Roles are read from the root of every repo. */
const CONTENT = [ROLE_FOLDER, 'prompts', 'tools', 'agents', 'workflows', 'schemas', 'context']
/** A folder is a workspace when one of these lies in it. No tool can create one: see `ANYWHERE`. */
const WORKSPACE_FILES = ['agent.workspace.json', 'onbook.config.yaml', 'onbook.registry.json']
/** These in the root say that Onbook works there, and so publishes from there. */
const HOST_FILES = ['.onbook', 'onbook.host.yaml', 'onbook.policy.yaml']
/** Commands such as "onbook run" read documents in these folders also where nothing marks a workspace. */
const DOCUMENT_FOLDERS = ['prompts', 'agents', 'workflows']
const DOCUMENT = /\.(?:ya?ml|json)$/
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
  /** Why it may not be changed, where there is more to say than that it is protected. */
  readonly why?: string
}

/**
 * Looked up at every call: what is a link now may lead elsewhere tomorrow.
 * @param parts of a path that is real, from the root
 */
export async function allowedAt(root: string, { protect, hide }: Protection, parts: readonly string[]): Promise<Allowed> {
  const [hidden, named, content, documents] = await Promise.all([
    placesOf(root, hide),
    placesOf(root, protect),
    contentAbove(root, parts),
    placesOf(root, DOCUMENT_FOLDERS),
  ])
  const kept = [...hidden, ...named, ...content]
  const names = parts.map(folded)
  const path = names.join('/')
  const mayWorkIn = !names.some(name => ANYWHERE.test(name)) && !kept.some(place => isWithin(path, place))
  const isDocument = DOCUMENT.test(path) && documents.some(place => isWithin(path, place))
  const inContent = isDocument || content.some(place => isWithin(path, place))
  return {
    mayRead: !names.includes(DATA_FOLDER) && !hidden.some(place => isWithin(path, place)),
    mayWorkIn,
    // A change of a parent folder changes it too.
    mayChange: mayWorkIn && !isDocument && !kept.some(place => isWithin(place, path)),
    ...(inContent ? { why: 'it is protected, because Onbook reads there what agents are sent and allowed' } : {}),
  }
}

/** The content folders of every workspace on the path, and the roles of the repo. */
async function contentAbove(root: string, parts: readonly string[]): Promise<readonly string[]> {
  const folders = parts.map((_, index) => join(root, ...parts.slice(0, index + 1)))
  const marks = [
    holdsOne(root, [...WORKSPACE_FILES, ...HOST_FILES]).then(found => (found ? [root] : [])),
    ...folders.map(async folder => ((await holdsOne(folder, WORKSPACE_FILES)) ? [folder] : [])),
  ]
  const workspaces = (await Promise.all(marks)).flat()
  return placesOf(root, [ROLE_FOLDER, ...workspaces.flatMap(folder => CONTENT.map(name => join(folder, name)))])
}

const holdsOne = async (folder: string, names: readonly string[]): Promise<boolean> =>
  (await Promise.all(names.map(name => lstat(join(folder, name)).catch(() => null)))).some(found => found !== null)

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
