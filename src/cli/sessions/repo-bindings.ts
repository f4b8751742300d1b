// The repo tools that the host is set to, over the repo that was named. Nothing is bound to a folder that nobody named.
import { resolve } from 'node:path'
import { repoTools } from '../../adapters/repo-tools/repo-tools.ts'
import { Fault } from '../../errors.ts'
import type { Binding } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostConfigOf } from '../host/host-config.ts'
import { folderOf, secretsFile } from '../record/open-record.ts'
import { repoOf } from '../repo-folder.ts'

export function repoBindings(input: Input): readonly Binding[] {
  const { bind, protect = [], hide = [], ...options } = hostConfigOf(input).tools
  if (bind.length === 0) return []
  if (typeof input.repo !== 'string') throw new Fault('repo_unnamed', { tools: bind.join(', ') })
  const tools = repoTools(repoOf(input), {
    ...options,
    protect: [...protect, ...settingsFiles(input)],
    // The default one is hidden by its name wherever it lies; this one may be called otherwise.
    hide: [...hide, resolve(folderOf(input))],
    secretsFile: secretsFile(input),
  })
  return tools.filter(({ descriptor }) => (bind as readonly string[]).includes(descriptor.name))
}

/** What says what agents may do, wherever it lies and whatever it is called. */
const settingsFiles = ({ config, policy }: Input): readonly string[] =>
  [config, policy].flatMap(path => (typeof path === 'string' ? [resolve(path)] : []))
