// Every stream: its chain, what its events speak of, and what checkpoints and anchors say about it.
import type { Digest } from '../../core/digest/digest.ts'
import { CHECKPOINTS, readCheckpoint } from '../../core/record/checkpoint.ts'
import type { RecordedEvent, StreamHead } from '../../core/record/event.ts'
import { compareCells, type ProjectedRow } from '../../core/record/projection.ts'
import { sealedStreams } from '../../core/record/projections.ts'
import { referencesIn } from '../../core/record/references.ts'
import { type BreakCode, endWalk, startWalk, step, type Walked } from '../../core/record/walk.ts'
import type { CheckSignature, Inspection, ProjectionTables } from '../../ports.ts'
import { type Anchor, isGenuine } from './anchors.ts'
import { type Findings, survivingDamage, type VerifyOptions } from './verify.ts'
import { wrongReferences } from './wrong-references.ts'

interface Seal {
  readonly seq: number
  readonly digest: Digest
  /** The checkpoint that says so. */
  readonly by: number
}

/** What is known about a stream from elsewhere. */
interface Known {
  readonly seal: Seal | null
  readonly anchor?: Anchor | undefined
  /** The last checkpoint with a checked signature: it stands for all before it. */
  readonly signed: number
}

export async function verifyStreams(inspection: Inspection, options: VerifyOptions, findings: Findings): Promise<void> {
  const seals = sealsInOrder(inspection, findings)
  for (const anchor of options.anchors ?? []) reportForgery(anchor, findings)
  const anchored = new Map((options.anchors ?? []).map(anchor => [anchor.tenant, anchor]))
  for (const tenant of await inspection.tenants()) {
    await survivingDamage({ tenant, stream: null }, findings, async () => {
      const checkpoints = await findStream(inspection, tenant, CHECKPOINTS)
      const verify = async (head: StreamHead, known: Known): Promise<number> => {
        let signed = -1
        findings.streams++
        await survivingDamage({ tenant, stream: head.stream }, findings, async () => {
          signed = await verifyStream(inspection, head, known, options, findings)
        })
        return signed
      }
      // First, because what seals a stream must be known before it.
      const signed = checkpoints === null ? -1 : await verify(checkpoints, { seal: null, anchor: anchored.get(tenant), signed: -1 })
      if (checkpoints !== null) anchored.delete(tenant)
      let last: string | null = null
      for await (const head of inspection.streams(tenant)) {
        if (last !== null && compareCells([head.stream], [last]) <= 0) {
          findings.report({ tenant, stream: head.stream, code: 'store_corrupt' }) // a damaged index names it twice, or too late
          continue
        }
        last = head.stream
        const seal = await seals.of(tenant, head.stream)
        if (head.stream !== CHECKPOINTS) await verify(head, { seal, signed })
      }
    })
  }
  await seals.end()
  for (const { tenant, digest } of anchored.values())
    findings.report({ tenant, stream: CHECKPOINTS, sequence: 0, digest, code: 'anchor_ahead' })
}

async function findStream(inspection: Inspection, tenant: string, stream: string): Promise<StreamHead | null> {
  for await (const head of inspection.streams(tenant)) if (head.stream === stream) return head
  return null
}

function reportForgery({ tenant, seq, genuine }: Anchor, findings: Findings): void {
  if (genuine === true) return
  const code = genuine === null ? 'checkpoint_key_unknown' : 'anchor_forged'
  findings.report({ tenant, stream: CHECKPOINTS, sequence: seq, code })
}

/** The last checkpoint in it with a checked signature; -1 when there is none. */
async function verifyStream(
  inspection: Inspection,
  said: StreamHead,
  { seal, anchor, signed }: Known,
  { scratch, check, progress }: VerifyOptions,
  findings: Findings,
): Promise<number> {
  const { tenant, stream } = said
  const isCheckpoints = stream === CHECKPOINTS
  const report = (sequence: number, code: BreakCode, digest?: string) =>
    findings.report({ tenant, stream, sequence, ...(digest === undefined ? {} : { digest }), code })
  let walked: Walked = startWalk(tenant, stream)
  let lastSigned = -1
  for await (const page of inspection.events(tenant, stream)) {
    for (const raw of page) {
      const { walked: next, event, flaws } = step(walked, raw.seq, raw.bytes)
      walked = next
      for (const flaw of flaws) report(flaw.seq, flaw.code)
      if (event !== null) {
        if (event.seq === raw.seq)
          for (const { digest, code } of wrongReferences(referencesIn(event.payload), raw.references)) report(raw.seq, code, digest)
        if (!applied(scratch, event)) report(raw.seq, 'event_unreadable')
        if (isCheckpoints) {
          const code = judgeCheckpoint(event, check)
          if (code !== null) report(raw.seq, code)
          else if (check !== null) lastSigned = raw.seq
        }
      }
      if (seal?.seq === raw.seq && seal.digest !== walked.head.digest) report(raw.seq, 'checkpoint_differs', seal.digest)
      if (anchor?.seq === raw.seq && anchor.digest !== walked.head.digest) report(raw.seq, 'anchor_differs', anchor.digest)
    }
    findings.events += page.length
    progress?.(findings)
  }
  const end = walked.head.seq
  for (const flaw of endWalk(walked, said)) report(flaw.seq, flaw.code)
  if (seal !== null && seal.seq > end) report(end + 1, 'checkpoint_ahead', seal.digest)
  if (anchor !== undefined && anchor.seq > end) report(end + 1, 'anchor_ahead', anchor.digest)
  if (!isCheckpoints) findings.unsealed += Math.max(0, end - (seal !== null && seal.by <= signed ? seal.seq : -1))
  return lastSigned
}

/** False for an event that no store can have written: a table that follows from it cannot be made. */
function applied(scratch: ProjectionTables, event: RecordedEvent): boolean {
  try {
    scratch.apply(event)
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefined) throw error // the scratch tables' own trouble
    return false
  }
}

function judgeCheckpoint(event: RecordedEvent, check: CheckSignature | null): BreakCode | null {
  const checkpoint = readCheckpoint(event)
  if (checkpoint === null) return 'checkpoint_forged'
  const genuine = check === null ? true : isGenuine(checkpoint, check)
  return genuine === true ? null : genuine === null ? 'checkpoint_key_unknown' : 'checkpoint_forged'
}

interface Seals {
  of(tenant: string, stream: string): Promise<Seal | null>
  end(): Promise<void>
}

/** Seals and streams come in the same order, so none has to be held. A seal that no stream comes for has lost its stream. */
function sealsInOrder(inspection: Inspection, findings: Findings): Seals {
  const rows = inspection.rows(sealedStreams.table)[Symbol.asyncIterator]()
  const keyOf = ({ tenant, cells }: ProjectedRow) => [tenant, cells.sealed ?? '']
  let next: Promise<ProjectedRow | null> | null = null
  const read = async (): Promise<ProjectedRow | null> => {
    let row: ProjectedRow | null = null
    await survivingDamage({ tenant: '', stream: null, table: sealedStreams.table }, findings, async () => {
      const { done, value } = await rows.next()
      row = done ? null : value
    })
    return row
  }
  const lost = ({ tenant, cells }: ProjectedRow) =>
    findings.report({ tenant, stream: String(cells.sealed), sequence: 0, digest: String(cells.headHash), code: 'checkpoint_ahead' })

  const advanceTo = async (key: readonly string[] | null): Promise<ProjectedRow | null> => {
    for (;;) {
      next ??= read()
      const value = await next
      if (value === null) return null
      if (value.stream !== CHECKPOINTS) {
        next = null // planted: the comparison of rows names it
        continue
      }
      const order = key === null ? -1 : compareCells(keyOf(value), key)
      if (order > 0) return null
      next = null
      if (order === 0) return value
      lost(value)
    }
  }
  return {
    async of(tenant, stream) {
      const row = await advanceTo([tenant, stream])
      return row === null ? null : { seq: Number(row.cells.last), digest: row.cells.headHash as Digest, by: row.seq }
    },
    end: async () => void (await advanceTo(null)),
  }
}
