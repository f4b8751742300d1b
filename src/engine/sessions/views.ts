// The public view of a session: its status and its transcript. Read only.
import type { Digest } from '../../core/digest/digest.ts'
import { type ChatMessage, observable } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import type { LeftMessage, NodeOfRun } from '../../core/session/events.ts'
import { type History, readHistoryNode } from '../../core/session/history.ts'
import { preludeOf } from '../../core/session/prelude-ladder.ts'
import type { OpenRun } from '../../core/session/state.ts'
import { isAsked } from '../../core/turn/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { loadRun } from '../runs/load.ts'
import { type LoadedSession, loadSession } from './load.ts'
import { sessionMissing } from './requests.ts'
import { newestNode } from './sessions.ts'

/** Throws `session_missing`. */
export async function existingSession(store: Store, tenant: string, session: string): Promise<LoadedSession> {
  const loaded = await loadSession(store, tenant, session)
  if (loaded.state.session === '') throw sessionMissing(session)
  return loaded
}

/** `run` is the run that works in the session now. `lifecycle` also tells how the newest one ended. */
export async function sessionView(store: Store, tenant: string, loaded: LoadedSession) {
  const { state, seq, newest, run } = await withRun(store, tenant, loaded)
  const { session, agentId, config, workspace, runs, refused, history, left, open } = state
  const count = (kind: LeftMessage['kind']): number =>
    [...left, ...(open === null ? [] : (nodeOf(run!, open.nodeId).turn?.left ?? []))].filter(one => one.kind === kind).length
  return {
    session,
    agentId,
    lifecycle: newest === null ? 'idle' : open === null ? nodeOf(run!, newest.nodeId).status : phaseOf(run!, open),
    config,
    workspace: { active: workspace.active, pending: workspace.pending, approved: workspace.approved, syncing: workspace.syncing !== null },
    run: open === null ? null : runView(run!, open),
    runs,
    refused,
    messages: history.count,
    /** The sequence of the last event that this view includes. */
    seq,
    waiting: { steers: count('steer'), followUps: count('follow-up') },
  }
}

interface WithRun extends Pick<LoadedSession, 'state' | 'seq'> {
  readonly newest: NodeOfRun | null
  readonly run: RunState | null
}

/** A node ends in the commit that detaches its run. A session that shows a node as open after its end is outdated, so it is read again. */
async function withRun(store: Store, tenant: string, loaded: LoadedSession): Promise<WithRun> {
  const { state, seq } = loaded
  const newest = state.open ?? (await newestNode(store, tenant, state.session))
  if (newest === null) return { state, seq, newest, run: null }
  const { state: run } = await loadRun(store, tenant, newest.runId)
  if (state.open === null || nodeOf(run, newest.nodeId).turn !== null) return { state, seq, newest, run }
  const later = await loadSession(store, tenant, state.session)
  return later.seq === seq ? { state, seq, newest, run } : withRun(store, tenant, later)
}

const phaseOf = (run: RunState, { nodeId }: NodeOfRun): string =>
  run.phase === 'running' && nodeOf(run, nodeId).status === 'waiting' ? 'waiting' : run.phase

function runView(state: RunState, { run, runId, nodeId }: OpenRun) {
  const { turn } = nodeOf(state, nodeId)
  return {
    run,
    runId,
    nodeId,
    phase: phaseOf(state, { runId, nodeId }),
    config: turn?.config ?? null,
    source: turn === null ? 'none' : preludeOf(turn.config, turn.snapshot).source,
    snapshot: turn?.snapshot ?? null,
    interactive: turn?.interactive ?? false,
    steps: turn?.steps ?? 0,
    /** Calls that wait for a person. */
    approvals: (turn?.calls ?? [])
      .filter(isAsked)
      .map(({ id, name, approval }) => ({ approval: approval!.approval, call: id, tool: name })),
  }
}

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
    if (node === null) throw new Fault('object_malformed', { digest: at, problem: 'it is not a message of a history' })
    pieces.push(node.messages)
    first -= node.messages.length
    at = node.previous
  }
  return pieces
    .reverse()
    .flat()
    .slice(Math.max(0, from - first))
}

/** An erased or unreadable message leaves a gap with the problem. */
async function shown(store: Store, tenant: string, digest: Digest): Promise<Pick<TranscriptEntry, 'messages' | 'problem'>> {
  try {
    const read = readMessages(await store.object(tenant, digest))
    return read.ok ? { messages: read.messages.map(observable), problem: null } : { messages: [], problem: read.problem.message }
  } catch (error) {
    if (error instanceof Fault && error.code === 'object_missing') return { messages: [], problem: error.message }
    throw error
  }
}
