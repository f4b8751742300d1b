// A session as people see it: how it stands, and what was said in it. Reads, and nothing else.
import type { Digest } from '../../core/digest/digest.ts'
import { type ChatMessage, observable } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { type History, readHistoryNode } from '../../core/session/history.ts'
import { isAsked, lifecycleOf, type SessionState } from '../../core/session/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { type LoadedSession, loadSession } from './load.ts'
import { sessionMissing } from './requests.ts'

/** Throws `session_missing`. */
export async function existingSession(store: Store, tenant: string, session: string): Promise<LoadedSession> {
  const loaded = await loadSession(store, tenant, session)
  if (loaded.state.session === '') throw sessionMissing(session)
  return loaded
}

export function sessionView({ state, seq }: LoadedSession) {
  const { session, agentId, home, config, workspace, run, runs, refused, history, steers, followUps } = state
  return {
    session,
    agentId,
    home,
    lifecycle: lifecycleOf(state),
    config,
    workspace: { active: workspace.active, pending: workspace.pending, approved: workspace.approved, syncing: workspace.syncing !== null },
    run: run === null ? null : runView(run),
    runs,
    refused,
    messages: history.count,
    /** Of the last event that this follows from. */
    seq,
    waiting: { steers: steers.length, followUps: followUps.length },
  }
}

const runView = ({ run, phase, config, source, snapshot, interactive, steps, batches, batch }: NonNullable<SessionState['run']>) => ({
  run,
  phase,
  config,
  source,
  snapshot,
  interactive,
  steps,
  batches,
  /** Calls that wait for a person. */
  approvals: (batch?.calls ?? []).filter(isAsked).map(({ id, name, approval }) => ({ approval: approval!.approval, call: id, tool: name })),
})

export interface TranscriptEntry {
  /** From 0. */
  readonly index: number
  readonly digest: Digest
  /** Most objects hold one. With secrets as slots that show no value. */
  readonly messages: readonly ChatMessage[]
  /** Why it cannot be shown; null when it can. */
  readonly problem: string | null
}

/** Characters of a page, after which it ends: one message may be very long, and many are. */
const MOST_PAGE = 4 * 1024 * 1024

/** Oldest first, from `from`, at most so many. Costs what lies between there and the end. */
export async function readTranscript(
  store: Store,
  tenant: string,
  { state: { history } }: LoadedSession,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<{ readonly entries: readonly TranscriptEntry[]; readonly next: number | null }> {
  const digests = await digestsFrom(store, tenant, history, from)
  const entries: TranscriptEntry[] = []
  let size = 0
  for (const digest of digests.slice(0, limit)) {
    const entry = { index: from + entries.length, digest, ...(await shown(store, tenant, digest)) }
    entries.push(entry)
    size += JSON.stringify(entry).length
    if (size > MOST_PAGE) break
  }
  return { entries, next: digests.length > entries.length ? from + entries.length : null }
}

async function digestsFrom(store: Store, tenant: string, { closed, open, count }: History, from: number): Promise<readonly Digest[]> {
  const pieces: (readonly Digest[])[] = [open]
  let first = count - open.length
  for (let at = closed; at !== null && first > from; ) {
    const node = readHistoryNode(new TextDecoder().decode(await store.object(tenant, at)))
    if (node === null) throw new Fault('object_unfit', { digest: at, problem: 'it is no piece of a history' })
    pieces.push(node.messages)
    first -= node.messages.length
    at = node.previous
  }
  return pieces
    .reverse()
    .flat()
    .slice(Math.max(0, from - first))
}

/** What was erased, or is no message, leaves its place. */
async function shown(store: Store, tenant: string, digest: Digest): Promise<Pick<TranscriptEntry, 'messages' | 'problem'>> {
  try {
    const read = readMessages(await store.object(tenant, digest))
    return read.ok ? { messages: read.messages.map(observable), problem: null } : { messages: [], problem: read.problem.message }
  } catch (error) {
    if (error instanceof Fault && error.code === 'object_missing') return { messages: [], problem: error.message }
    throw error
  }
}
