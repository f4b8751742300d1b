// Verifies one database file: what `verify`, `backup` and `restore` have in common.
import { scratchTables } from '../../adapters/sqlite-store/projection-tables.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { type Verified, type VerifyOptions, verifyRecord } from '../../engine/verify/verify.ts'
import { Fault } from '../../errors.ts'
import { clock } from './open-record.ts'

const UNREADABLE: Verified = {
  intact: false,
  unsealed: 0,
  streams: 0,
  events: 0,
  objects: 0,
  erased: 0,
  breaks: [{ tenant: '', stream: null, code: 'store_corrupt' }],
  moreBreaks: 0,
}

export async function verifyFile(path: string, options: Pick<VerifyOptions, 'check' | 'anchors' | 'progress'>): Promise<Verified> {
  try {
    const store = sqliteStore(path, clock)
    const inspection = await store.inspect()
    const scratch = scratchTables(store.projections)
    try {
      return await verifyRecord(inspection, { ...options, projections: store.projections, scratch })
    } finally {
      scratch.close()
      await inspection.close()
      await store.close()
    }
  } catch (error) {
    if (error instanceof Fault && error.code === 'store_corrupt') return UNREADABLE
    throw error
  }
}
