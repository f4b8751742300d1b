// Verifies one database file: what `verify`, `backup` and `restore` have in common.
import { inspectFile } from '../../adapters/sqlite-store/inspect.ts'
import { scratchTables } from '../../adapters/sqlite-store/scratch-tables.ts'
import { type Verified, type VerifyOptions, verifyRecord } from '../../engine/verify/verify.ts'
import { Fault } from '../../errors.ts'

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
    const { inspection, projections } = inspectFile(path)
    const scratch = scratchTables(projections)
    try {
      return await verifyRecord(inspection, { ...options, projections, scratch })
    } finally {
      scratch.close()
      await inspection.close()
    }
  } catch (error) {
    if (error instanceof Fault && error.code === 'store_corrupt') return UNREADABLE
    throw error
  }
}
