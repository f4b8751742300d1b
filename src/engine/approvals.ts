// What people are asked, wherever it is kept: by a run for another mode, by a session for one of its calls. Finds and shows; decides nothing.
import { HOST_ACTOR } from '../core/access/keys.ts'
import type { Digest, Json } from '../core/digest/digest.ts'
import type { JsonObject } from '../core/digest/is-object.ts'
import { RUN_OVER } from '../core/run/decide.ts'
import { type ModeSubject, runStream, type ToolSubject } from '../core/run/events.ts'
import { approvalRows } from '../core/run/projections.ts'
import { sessionStream } from '../core/session/events.ts'
import { isAsked } from '../core/session/state.ts'
import { Fault } from '../errors.ts'
import type { Store } from '../ports.ts'
import { loadRun } from './runs/load.ts'
import { loadSession } from './sessions/load.ts'

/** What the call would be made with stands there whole: nobody should approve a digest. */
export interface WantedTool extends Omit<ToolSubject, 'arguments'> {
  readonly arguments: Json
}

export interface AskedApproval {
  readonly approval: string
  readonly askedAt: string
  /** Null for a session on its own. */
  readonly runId: string | null
  readonly nodeId: string | null
  /** Null when it is the run that asks. */
  readonly session: string | null
  readonly wants: ModeSubject | WantedTool
}

export type ApprovalPlace = { readonly kind: 'run'; readonly runId: string } | { readonly kind: 'session'; readonly session: string }

/** Those that somebody waits for, by id, from after one on. */
export async function* openApprovals(store: Store, tenant: string, after = ''): AsyncIterable<AskedApproval> {
  for await (const { stream, cells } of store.rows(approvalRows.table, tenant, { open: 1 }, { by: 'approval', after })) {
    const found = await askedIn(store, tenant, placeIn(stream), String(cells.approval))
    if (found !== null) yield { approval: String(cells.approval), askedAt: String(cells.askedAt), ...found }
  }
}

/** One that is open. Throws `approval_missing` for any other, with what became of it. */
export async function askedApproval(store: Store, tenant: string, approval: string): Promise<AskedApproval> {
  for await (const { stream, cells } of store.rows(approvalRows.table, tenant, { approval, open: 1 })) {
    const found = await askedIn(store, tenant, placeIn(stream), approval)
    if (found !== null) return { approval, askedAt: String(cells.askedAt), ...found }
  }
  throw await closedApproval(store, tenant, approval)
}

/** Null for an approval that was never asked for. */
export async function approvalStream(store: Store, tenant: string, approval: string): Promise<string | null> {
  for await (const { stream } of store.rows(approvalRows.table, tenant, { approval })) return stream
  return null
}

/** Also of one that was answered: who asks with the same Idempotency-Key again is told what was said. */
export async function approvalPlace(store: Store, tenant: string, approval: string): Promise<ApprovalPlace> {
  const stream = await approvalStream(store, tenant, approval)
  if (stream !== null) return placeIn(stream)
  throw new Fault('approval_missing', { problem: `Nobody waits for approval ${approval}` })
}

/** Where it is kept, of one that somebody waits for. Of any other, throws what became of it. */
export async function askedPlace(store: Store, tenant: string, approval: string): Promise<ApprovalPlace> {
  const place = await approvalPlace(store, tenant, approval)
  if ((await askedIn(store, tenant, place, approval)) === null) throw await closedApproval(store, tenant, approval)
  return place
}

/** The host closed it with its call or its run; no person answered. Recorded as a denial by the host. */
export const isWithdrawn = ({ decision, answeredBy, note }: Readonly<Record<'decision' | 'answeredBy' | 'note', Json>>): boolean =>
  decision === 'denied' && (answeredBy === HOST_ACTOR || note === RUN_OVER)

/** Who has answered it, and when, as far as anybody has. */
export async function closedApproval(store: Store, tenant: string, approval: string): Promise<Fault> {
  for await (const { stream } of store.rows(approvalRows.table, tenant, { approval, open: 0 }))
    for await (const { event } of store.read(tenant, stream, -1)) {
      const { approval: closed, decision, answeredBy = event.actor, note = null } = event.payload as JsonObject
      if (event.type !== 'approval.resolved' || closed !== approval || decision === undefined) continue
      const what =
        decision === 'expired'
          ? 'has expired'
          : isWithdrawn({ decision, answeredBy, note })
            ? `was withdrawn: ${note}`
            : `was ${decision} by ${answeredBy} already`
      return new Fault('approval_closed', { problem: `Approval ${approval} ${what}, at ${event.at}` })
    }
  return new Fault('approval_missing', { problem: `Nobody waits for approval ${approval}` })
}

const RUN = runStream('')
const SESSION = sessionStream('')

const placeIn = (stream: string): ApprovalPlace =>
  stream.startsWith(RUN) ? { kind: 'run', runId: stream.slice(RUN.length) } : { kind: 'session', session: stream.slice(SESSION.length) }

type Asked = Omit<AskedApproval, 'approval' | 'askedAt'>

async function askedIn(store: Store, tenant: string, place: ApprovalPlace, approval: string): Promise<Asked | null> {
  return place.kind === 'run' ? byRun(store, tenant, place.runId, approval) : bySession(store, tenant, place.session, approval)
}

async function byRun(store: Store, tenant: string, runId: string, approval: string): Promise<Asked | null> {
  const { state } = await loadRun(store, tenant, runId)
  const open = state.approvals.find(one => one.approval === approval)
  return open?.wants.kind === 'mode' ? { runId, nodeId: open.nodeId, session: null, wants: open.wants } : null
}

async function bySession(store: Store, tenant: string, session: string, approval: string): Promise<Asked | null> {
  const { state } = await loadSession(store, tenant, session)
  const call = state.run?.batch?.calls.find(one => one.approval?.approval === approval && isAsked(one))
  if (call === undefined) return null
  const { by, expiresAt, reason } = call.approval!
  const given = await readJson(store, tenant, call.arguments)
  const { runId, nodeId } = state.run!.node ?? { runId: null, nodeId: null }
  return { runId, nodeId, session, wants: { kind: 'tool', call: call.id, tool: call.name, arguments: given, reason, by, expiresAt } }
}

async function readJson(store: Store, tenant: string, digest: Digest): Promise<Json> {
  try {
    return JSON.parse(new TextDecoder().decode(await store.object(tenant, digest))) as Json
  } catch (error) {
    // Erased: what is asked for cannot be seen any more, and can still be denied.
    if (error instanceof Fault && error.code === 'object_missing') return null
    throw error
  }
}
