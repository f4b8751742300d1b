// Finds the repo: the place of its own roles, and of the agents' work.
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Fault } from '../errors.ts'
import { folderOf } from './record-folder.ts'
import type { Settings } from './settings.ts'

/** The one that is named; else the folder with the record in it; where --data says that the record is elsewhere, this one. */
export function repoOf(settings: Settings): string {
  if (typeof settings.repo !== 'string') return settings.data === undefined ? dirname(resolve(folderOf(settings))) : process.cwd()
  if (statSync(settings.repo, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Fault('usage_invalid', { problem: `--repo must be a folder, and ${settings.repo} is not one` })
  return resolve(settings.repo)
}
