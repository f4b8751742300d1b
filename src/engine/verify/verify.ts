// Folder: Verifies a record: chains, objects, references, rows, signatures.
// Verifies that the record is what was written. Reads all of it once, trusts nothing, uses little memory, and claims only what it can prove.
import { keyOfRow, type ProjectedRow, type Projection } from '../../core/record/projection.ts'
import type { BreakCode } from '../../core/record/walk.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature, Inspection, ProjectionTables } from '../../ports.ts'
import type { Anchor } from './anchors.ts'
import { compareRows } from './compare-rows.ts'
import { verifyObjects } from './verify-objects.ts'
import { verifyStreams } from './verify-streams.ts'

export interface Break {
  readonly tenant: string
  /** Null where no stream is concerned. */
  readonly stream: string | null
  readonly sequence?: number
  /** The line in a run file, from 1. */
  readonly line?: number
  /** The node that references the object, where no event does. */
  readonly node?: string
  readonly digest?: string
  readonly table?: string
  readonly code: BreakCode
}

export interface Verified {
  readonly intact: boolean
  /** Events that no checked signature covers: nothing is known about them but that they fit together. */
  readonly unsealed: number
  readonly streams: number
  readonly events: number
  readonly objects: number
  readonly erased: number
  /** Objects without a reference from an event or a node: not yet, or no longer. Their writer cannot be proved. */
  readonly unreferenced?: number
  /** Rows of the file that nothing in the record proves, by table. */
  readonly unproven?: Readonly<Record<string, number>>
  readonly breaks: readonly Break[]
  /** Breaks beyond those listed. */
  readonly moreBreaks: number
}

export interface VerifyOptions {
  readonly projections: readonly Projection[]
  readonly scratch: ProjectionTables
  /** Null when there are no keys to check with: then nothing counts as sealed. */
  readonly check: CheckSignature | null
  readonly anchors?: readonly Anchor[]
  readonly progress?: (done: { readonly events: number; readonly objects: number }) => void
}

const MOST_BREAKS = 1_000

/** Results of the verification so far. */
export interface Findings {
  unsealed: number
  streams: number
  events: number
  objects: number
  erased: number
  unreferenced: number
  unproven: Readonly<Record<string, number>>
  /** Rows that differ in streams that were written to meanwhile. */
  later: number
  readonly breaks: Break[]
  moreBreaks: number
  report(found: Break): void
}

export async function verifyRecord(inspection: Inspection, options: VerifyOptions): Promise<Verified> {
  const findings = newFindings()
  await verifyStreams(inspection, options, findings)
  await verifyObjects(inspection, options, findings)
  for (const projection of options.projections) await verifyRows(inspection, projection, options.scratch, findings)
  await survivingDamage({ tenant: '', stream: null }, findings, async () => {
    if ((await inspection.strays()) > 0) findings.report({ tenant: '', stream: null, code: 'stream_missing' })
  })
  await survivingDamage({ tenant: '', stream: null }, findings, async () => {
    for (const { name, code } of await inspection.schema()) findings.report({ tenant: '', stream: null, table: name, code })
    findings.unproven = { ...(await inspection.unproven()), laterRows: findings.later }
  })
  const { report: _, later: __, ...found } = findings
  return { intact: found.breaks.length === 0, ...found }
}

function newFindings(): Findings {
  const breaks: Break[] = []
  const findings: Findings = {
    unsealed: 0,
    streams: 0,
    events: 0,
    objects: 0,
    erased: 0,
    unreferenced: 0,
    unproven: {},
    later: 0,
    breaks,
    moreBreaks: 0,
    report(found) {
      if (breaks.length < MOST_BREAKS) breaks.push(found)
      else findings.moreBreaks++
    },
  }
  return findings
}

async function verifyRows(inspection: Inspection, projection: Projection, scratch: ProjectionTables, findings: Findings): Promise<void> {
  const { table } = projection
  await survivingDamage({ tenant: '', stream: null, table }, findings, async () => {
    // A host has written to this stream since: the row may be that of a later event, and is not judged.
    for await (const { row, code } of compareRows(projection, scratch.rows(table), inspection.rows(table)))
      if (await inspection.isMoved(row.tenant, row.stream)) findings.later++
      else findings.report({ tenant: row.tenant, stream: row.stream, sequence: row.seq, table, digest: nameOfRow(projection, row), code })
  })
}

/** A row has no digest: the key within its table identifies it. */
const nameOfRow = (projection: Projection, row: ProjectedRow): string => keyOfRow(projection, row).slice(2).join(' ')

/** A damaged page hides only its own content: the verification goes on. */
export async function survivingDamage(place: Omit<Break, 'code'>, findings: Findings, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'store_corrupt')) throw error
    findings.report({ ...place, code: 'store_corrupt' })
  }
}
