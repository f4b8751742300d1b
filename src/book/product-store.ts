// Opens the store that the host and its commands write to. Creates it when it does not exist.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { reasonOf } from '../adapters/processes/reasons.ts'
import { sqliteStore } from '../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../engine/record/projections.ts'
import { Fault } from '../errors.ts'
import type { Randomness, Store } from '../ports.ts'
import { clock, databaseOf, folderOf } from './record-folder.ts'
import type { Settings } from './settings.ts'

export const randomness: Randomness = (bytes, as) => randomBytes(bytes).toString(as)

export function openProductStore(settings: Settings): Store {
  const folder = folderOf(settings)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Fault('file_unwritable', { path: folder, reason: reasonOf(error) }, { cause: error })
  }
  return sqliteStore(databaseOf(settings), clock, PRODUCT_PROJECTIONS)
}
