// A new SQLite file, for the contract.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { StorePlace } from '../contract/place.ts'

export const clock = () => new Date().toISOString()
export const freshPath = () => join(mkdtempSync(join(tmpdir(), 'onbook-store-')), 'onbook.db')

export async function sqlitePlace(): Promise<StorePlace> {
  const path = freshPath()
  return {
    open: async projections => sqliteStore(path, clock, projections),
    writer: [process.execPath, resolve('src/testing/stores/sqlite-writer.mjs'), path],
  }
}
