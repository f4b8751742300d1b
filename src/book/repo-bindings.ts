// The repo tools in the host's settings, over the named repo. No tool is bound to a folder that the settings do not name.
import { resolve } from 'node:path'
import { repoTools } from '../adapters/repo-tools/repo-tools.ts'
import { Fault } from '../errors.ts'
import type { Binding } from '../ports.ts'
import { hostConfigOf } from './host-config.ts'
import { folderOf, secretsFile } from './record-folder.ts'
import { repoOf } from './repo-folder.ts'
import type { Settings } from './settings.ts'

export function repoBindings(settings: Settings): readonly Binding[] {
  const { bind, protect = [], hide = [], ...options } = hostConfigOf(settings).tools
  if (bind.length === 0) return []
  if (typeof settings.repo !== 'string') throw new Fault('repo_unnamed', { tools: bind.join(', ') })
  const tools = repoTools(repoOf(settings), {
    ...options,
    protect: [...protect, ...settingsFiles(settings)],
    // The default one is hidden by its name wherever it lies; this one may be called otherwise.
    hide: [...hide, resolve(folderOf(settings))],
    secretsFile: secretsFile(settings),
  })
  return tools.filter(({ descriptor }) => (bind as readonly string[]).includes(descriptor.name))
}

/** Files of the operator that decide what agents may do. No tool may change them. */
const settingsFiles = ({ config, policy }: Settings): readonly string[] =>
  [config, policy].flatMap(path => (typeof path === 'string' ? [resolve(path)] : []))
