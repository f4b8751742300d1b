// Everything that is wrong with the record of a store. Signatures are not asked for.
import { scratchTables } from '../../adapters/sqlite-store/inspect/scratch-tables.ts'
import { type Break, verifyRecord } from '../../engine/verify/verify.ts'
import type { Store } from '../../ports.ts'

export async function breaksIn({ inspect, projections }: Store): Promise<readonly Break[]> {
  const [inspection, scratch] = [await inspect(), scratchTables(projections)]
  try {
    return (await verifyRecord(inspection, { projections, scratch, check: null })).breaks
  } finally {
    await inspection.close()
    scratch.close()
  }
}
