// Verifies every stream: its chain, the objects that its events reference, and the checkpoints and anchors that name it.
import { CHECKPOINTS, readCheckpoint } from '../../core/record/checkpoint.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { compareCells } from '../../core/record/projection.ts'
import { referencesIn } from '../../core/record/references.ts'
import { type BreakCode, endWalk, startWalk, step, type Walked } from '../../core/record/walk.ts'
import type { CheckSignature, Inspection, ProjectionTables, RawStream } from '../../ports.ts'
import { type Anchor, isGenuine } from './anchors.ts'
import { anchoredHeads, compareHeads, type NamedHead, type Seal, sealsOf } from './signed-heads.ts'
import { type Findings, survivingDamage, type VerifyOptions } from './verify.ts'
import { wrongReferences } from './wrong-references.ts'

/** The signed statements about a stream. */
interface Known {
  readonly seals: readonly Seal[]
  readonly anchors: readonly NamedHead[]
  /** The last checkpoint with a checked signature: it covers all before it. */
  readonly signed: number
}

export async function verifyStreams(inspection: Inspection, options: VerifyOptions, findings: Findings): Promise<void> {
  for (const anchor of options.anchors ?? []) reportForgery(anchor, findings)
  const anchored = anchoredHeads(options.anchors ?? [])
  for (const tenant of await inspection.tenants()) {
    await survivingDamage({ tenant, stream: null }, findings, async () => {
      const checkpoints = await findStream(inspection, tenant, CHECKPOINTS)
      const verify = async (head: RawStream, known: Known): Promise<number> => {
        let signed = -1
        findings.streams++
        await survivingDamage({ tenant, stream: head.stream }, findings, async () => {
          signed = await verifyStream(inspection, head, known, options, findings)
        })
        return signed
      }
      // First, because what seals a stream must be known before it.
      const own = { seals: [], anchors: checkpoints === null ? [] : anchored.take(tenant, CHECKPOINTS), signed: -1 }
      const signed = checkpoints === null ? -1 : await verify(checkpoints, own)
      const seals = sealsOf(options.scratch, tenant)
      let last: string | null = null
      for await (const head of inspection.streams(tenant)) {
        if (last !== null && compareCells([head.stream], [last]) <= 0) {
          findings.report({ tenant, stream: head.stream, code: 'store_corrupt' }) // a damaged index names it twice, or too late
          continue
        }
        last = head.stream
        if (head.stream === CHECKPOINTS) continue
        await verify(head, { seals: seals.of(head.stream), anchors: anchored.take(tenant, head.stream), signed })
      }
      for (const { stream, seal } of seals.lost())
        if (stream !== CHECKPOINTS) findings.report({ tenant, stream, sequence: 0, digest: seal.digest, code: 'checkpoint_ahead' })
    })
  }
  for (const { tenant, stream, heads } of anchored.rest())
    findings.report({ tenant, stream, sequence: 0, digest: heads.at(-1)!.digest, code: 'anchor_ahead' })
}

async function findStream(inspection: Inspection, tenant: string, stream: string): Promise<RawStream | null> {
  for await (const head of inspection.streams(tenant)) if (head.stream === stream) return head
  return null
}

function reportForgery({ tenant, seq, genuine }: Anchor, findings: Findings): void {
  if (genuine === true) return
  const code = genuine === null ? 'checkpoint_key_unknown' : 'anchor_forged'
  findings.report({ tenant, stream: CHECKPOINTS, sequence: seq, code })
}

/** Returns the last checkpoint with a checked signature in the stream, or -1. */
async function verifyStream(
  inspection: Inspection,
  said: RawStream,
  { seals, anchors, signed }: Known,
  { scratch, check, progress }: VerifyOptions,
  findings: Findings,
): Promise<number> {
  const { tenant, stream } = said
  const isCheckpoints = stream === CHECKPOINTS
  const report = (sequence: number, code: BreakCode, digest?: string) =>
    findings.report({ tenant, stream, sequence, ...(digest === undefined ? {} : { digest }), code })
  const [sealed, anchored] = [compareHeads(seals), compareHeads(anchors)]
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
      const [seal, anchor] = [sealed.differs(raw.seq, walked.head.digest), anchored.differs(raw.seq, walked.head.digest)]
      if (seal !== null) report(raw.seq, 'checkpoint_differs', seal.digest)
      if (anchor !== null) report(raw.seq, 'anchor_differs', anchor.digest)
    }
    findings.events += page.length
    progress?.(findings)
  }
  const end = walked.head.seq
  for (const flaw of endWalk(walked, said)) report(flaw.seq, flaw.code)
  const [sealAhead, anchorAhead] = [sealed.ahead(end), anchored.ahead(end)]
  if (sealAhead !== null) report(end + 1, 'checkpoint_ahead', sealAhead.digest)
  if (anchorAhead !== null) report(end + 1, 'anchor_ahead', anchorAhead.digest)
  const last = seals.reduce<Seal | null>((latest, seal) => (latest === null || seal.by >= latest.by ? seal : latest), null)
  if (said.sealed !== (last?.seq ?? -1)) findings.report({ tenant, stream, table: 'streams', digest: 'sealed', code: 'row_differs' })
  if (!isCheckpoints) findings.unsealed += Math.max(0, end - (last !== null && last.by <= signed ? last.seq : -1))
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
