// Which repo is meant: where roles of its own lie, and what agents work on.
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { folderOf } from './record/open-record.ts'

/** The one that is named; else the folder with the record in it; where --data says that the record is elsewhere, this one. */
export function repoOf(input: Input): string {
  if (typeof input.repo !== 'string') return input.data === undefined ? dirname(resolve(folderOf(input))) : process.cwd()
  if (statSync(input.repo, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Fault('usage_invalid', { problem: `--repo must be a folder, and ${input.repo} is none` })
  return resolve(input.repo)
}
