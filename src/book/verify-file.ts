// Verifies one database file: what `verify`, `backup` and `restore` have in common.
import { inspectFile } from '../adapters/sqlite-store/inspect/inspect.ts'
import { scratchTables } from '../adapters/sqlite-store/inspect/scratch-tables.ts'
import { canonicalJson, type Json } from '../core/digest/digest.ts'
import type { Projection } from '../core/record/projection.ts'
import { PRODUCT_PROJECTIONS } from '../engine/record/projections.ts'
import { type Verified, type VerifyOptions, verifyRecord } from '../engine/verify/verify.ts'
import { Fault } from '../errors.ts'
import type { Inspection } from '../ports.ts'

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

type FileOptions = Pick<VerifyOptions, 'check' | 'anchors' | 'progress'>

export const verifyFile = (path: string, options: FileOptions): Promise<Verified> =>
  verifyWith(path, options, null, inspection => inspection)

/** Streams, objects and rows of one tenant. The operator verifies the file, with the rows that belong to no tenant. */
export const verifyTenant = (path: string, tenant: string, check: VerifyOptions['check'], pause: () => Promise<void>): Promise<Verified> =>
  verifyWith(path, { check }, tenant, inspection => ({
    ...inspection,
    tenants: async () => [tenant],
    events: (of, stream) => paced(inspection.events(of, stream), pause),
    objects: () => paced(inspection.objects(), pause),
    rows: table => ofTenant(inspection.rows(table), tenant),
    strays: async () => 0,
    schema: async () => [],
    unproven: async () => ({ answers: 0, uploads: 0 }),
  }))

async function* paced<T>(pages: AsyncIterable<T>, pause: () => Promise<void>): AsyncIterable<T> {
  for await (const page of pages) {
    await pause()
    yield page
  }
}

async function* ofTenant<T extends { readonly tenant: string }>(rows: AsyncIterable<T>, tenant: string): AsyncIterable<T> {
  for await (const row of rows) if (row.tenant === tenant) yield row
}

async function verifyWith(
  path: string,
  options: FileOptions,
  tenant: string | null,
  seen: (inspection: Inspection) => Inspection,
): Promise<Verified> {
  try {
    const { inspection, projections } = inspectFile(path, tenant)
    const scratch = scratchTables(projections)
    try {
      const verified = await verifyRecord(seen(inspection), { ...options, projections, scratch })
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
