// Verifies one database file: what `verify`, `backup` and `restore` have in common.
import { inspectFile } from '../../adapters/sqlite-store/inspect/inspect.ts'
import { scratchTables } from '../../adapters/sqlite-store/inspect/scratch-tables.ts'
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import type { Projection } from '../../core/record/projection.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { type Verified, type VerifyOptions, verifyRecord } from '../../engine/verify/verify.ts'
import { Fault } from '../../errors.ts'

const UNREADABLE: Verified = {
  intact: false,
  unsealed: 0,
  streams: 0,
  events: 0,
  objects: 0,
  erased: 0,
  unreferenced: 0,
  unproven: {},
  breaks: [{ tenant: '', stream: null, code: 'store_corrupt' }],
  moreBreaks: 0,
}

export async function verifyFile(path: string, options: Pick<VerifyOptions, 'check' | 'anchors' | 'progress'>): Promise<Verified> {
  try {
    const { inspection, projections } = inspectFile(path)
    const scratch = scratchTables(projections)
    try {
      const verified = await verifyRecord(inspection, { ...options, projections, scratch })
      return { ...verified, unproven: { ...verified.unproven, declarations: otherDeclarations(projections) } }
    } finally {
      scratch.close()
      await inspection.close()
    }
  } catch (error) {
    if (error instanceof Fault && error.code === 'store_corrupt') return UNREADABLE
    throw error
  }
}

/** Tables of this release that the file declares in another way: their rows are checked against the file's own declaration alone. */
function otherDeclarations(projections: readonly Projection[]): number {
  const spell = (projection: Projection): string => canonicalJson(projection as unknown as Json)
  const declared = new Map(projections.map(projection => [projection.table, spell(projection)]))
  return PRODUCT_PROJECTIONS.filter(one => declared.has(one.table) && declared.get(one.table) !== spell(one)).length
}
