// Lists requests for approval: of a mode change, and of tool calls. Decides nothing.
import { HOST_ACTOR } from '../../../core/access/keys.ts'
import type { Digest, Json } from '../../../core/digest/digest.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { runStream } from '../../../core/run/events.ts'
import { RUN_OVER } from '../../../core/run/graph/walk.ts'
import { approvalRows } from '../../../core/run/projections.ts'
import { nodeOf } from '../../../core/run/state.ts'
import type { CallSubject, ModeSubject } from '../../../core/turn/events.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { loadRun } from '../load.ts'

/** Carries the full arguments of the call: a person must not approve a digest. */
export interface WantedTool extends Omit<CallSubject, 'arguments'> {
  readonly arguments: Json
}

export interface AskedApproval {
  readonly approval: string
  readonly askedAt: string
  readonly runId: string
  readonly nodeId: string
  /** The lasting session that the node works in, or null. */
  readonly session: string | null
  readonly wants: ModeSubject | WantedTool
}

/** Pending approvals in the order of their ids, starting after `after`. */
export async function* openApprovals(store: Store, tenant: string, after = ''): AsyncIterable<AskedApproval> {
  for await (const { stream, cells } of store.rows(approvalRows.table, tenant, { open: 1 }, { by: 'approval', after })) {
    const found = await askedIn(store, tenant, runIn(stream), String(cells.approval))
    if (found !== null) yield { approval: String(cells.approval), askedAt: String(cells.askedAt), ...found }
  }
}

/** Returns an open approval. Throws `approval_missing` for any other, with its outcome. */
export async function askedApproval(store: Store, tenant: string, approval: string): Promise<AskedApproval> {
  for await (const { stream, cells } of store.rows(approvalRows.table, tenant, { approval, open: 1 })) {
    const found = await askedIn(store, tenant, runIn(stream), approval)
    if (found !== null) return { approval, askedAt: String(cells.askedAt), ...found }
  }
  throw await closedApproval(store, tenant, approval)
}

/** Null for an unknown approval. */
export async function approvalStream(store: Store, tenant: string, approval: string): Promise<string | null> {
  for await (const { stream } of store.rows(approvalRows.table, tenant, { approval })) return stream
  return null
}

/** The run of an open or answered approval: a caller with the same Idempotency-Key gets the same answer again. */
export async function approvalRun(store: Store, tenant: string, approval: string): Promise<string> {
  const stream = await approvalStream(store, tenant, approval)
  if (stream !== null) return runIn(stream)
  throw new Fault('approval_missing', { problem: `No node waits for approval ${approval}` })
}

/** The host closed it with its call or its run; no person answered. Recorded as a denial by the host. */
export const isWithdrawn = ({ decision, answeredBy, note }: Readonly<Record<'decision' | 'answeredBy' | 'note', Json>>): boolean =>
  decision === 'denied' && (answeredBy === HOST_ACTOR || note === RUN_OVER)

/** The fault for a closed approval: names the answer's author and time, if there is an answer. */
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
  return new Fault('approval_missing', { problem: `No node waits for approval ${approval}` })
}

const runIn = (stream: string): string => stream.slice(runStream('').length)

type Asked = Omit<AskedApproval, 'approval' | 'askedAt'>

async function askedIn(store: Store, tenant: string, runId: string, approval: string): Promise<Asked | null> {
  const { state } = await loadRun(store, tenant, runId)
  const open = state.approvals.find(one => one.approval === approval)
  if (open === undefined) return null
  const { nodeId, wants } = open
  const { session } = nodeOf(state, nodeId)
  if (wants.kind === 'mode') return { runId, nodeId, session, wants }
  return { runId, nodeId, session, wants: { ...wants, arguments: await readJson(store, tenant, wants.arguments) } }
}

async function readJson(store: Store, tenant: string, digest: Digest): Promise<Json> {
  try {
    return JSON.parse(new TextDecoder().decode(await store.object(tenant, digest))) as Json
  } catch (error) {
    // Erased: the request cannot be shown any more, but can still be denied.
    if (error instanceof Fault && error.code === 'object_missing') return null
    throw error
  }
}
