// Watches the changes that nodes make in the repo, if the settings name one.
import { join } from 'node:path'
import { repoWatch } from '../adapters/repo-watch/repo-watch.ts'
import type { TurnParts } from '../engine/turns/performing.ts'
import { Fault } from '../errors.ts'
import type { RepoWatch } from '../ports.ts'
import { folderOf } from './record-folder.ts'
import { repoOf } from './repo-folder.ts'
import type { Settings } from './settings.ts'

/** Opened when a node first works there. That it cannot be is said once. */
export function watchOf(settings: Settings, failed: TurnParts['failed']): Pick<TurnParts, 'watch'> {
  if (typeof settings.repo !== 'string') return {}
  const open = async (): Promise<RepoWatch | null> => {
    try {
      const folder = folderOf(settings)
      const watch = await repoWatch(repoOf(settings), join(folder, 'changes'), { without: [folder] })
      if (watch === null) throw new Fault('repo_unwatched', { reason: 'there is no git on this machine' })
      return watch
    } catch (error) {
      failed(error as Error, NO_SESSION)
      return null
    }
  }
  let opened: Promise<RepoWatch | null> | null = null
  return {
    watch() {
      opened ??= open()
      return opened
    },
  }
}

const NO_SESSION = { tenant: '', session: '', actor: 'onbook' }
