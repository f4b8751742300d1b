// Asking a person for another mode, and telling whoever asked what the person said.
import { digestText } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import type { RunDraft } from '../../core/run/decide.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { followSession } from '../../core/run/follow.ts'
import { isBusy, nodeOf, type RunState } from '../../core/run/state.ts'
import type { NodeOfRun } from '../../core/session/events.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { type DecidedSession, decideAll } from './decide-session.ts'
import { loadRun } from './load.ts'
import type { RunWork } from './work.ts'
import type { LoadNode } from './write-run.ts'

const ACTOR = 'onbook'

/** Null when nobody needs to be asked. A node that asks twice gets the same answer. */
export async function askForMode(
  store: Store,
  submit: RunWork['submit'],
  approval: string,
  tenant: string,
  { runId, nodeId }: NodeOfRun,
  reason: string,
): Promise<string | null> {
  const { state } = await loadRun(store, tenant, runId)
  const known = state.approvals.find(one => one.nodeId === nodeId && one.wants.kind === 'mode')
  if (known !== undefined) return known.approval
  if (state.mode === 'implementation') return null
  const wants = { kind: 'mode', mode: 'implementation', reason } as const
  const { refusal } = await submit({ tenant, runId, actor: ACTOR }, { type: 'askApproval', approval, nodeId, wants })
  return refusal === null ? approval : null
}

/** What its session is told, in the same commit: nobody who answers has to be asked again. Null when the node does not listen any more. */
export async function answerTo(load: LoadNode, before: RunState, events: readonly RunEvent[]): Promise<ToldSession | null> {
  const answer = events.find(event => event.type === 'approval.resolved')
  const asked = before.approvals.find(({ approval }) => approval === answer?.approval)
  const node = nodeOf(before, asked?.nodeId ?? '')
  if (answer === undefined || !isBusy(node)) return null
  const said = `Your request for IMPLEMENTATION was ${answer.decision}.${answer.note === null ? '' : ` ${answer.note}`}`
  const text = writeMessage({ role: 'user', content: [{ type: 'text', text: said }] })
  const kind = node.status === 'waiting' ? 'follow-up' : 'steer'
  const { state, seq } = await load(node.session)
  const command = { kind, id: answer.approval, message: digestText(text) } as const
  const decided = decideAll(state, [{ type: 'receive', command }])
  if (decided.refusal !== null) return null
  return { nodeId: asked!.nodeId, session: node.session, seq, before: state, decided, texts: [{ digest: digestText(text), text }] }
}

export interface ToldSession {
  readonly nodeId: string
  readonly session: string
  readonly seq: number
  readonly before: SessionState
  readonly decided: DecidedSession
  readonly texts: readonly StoredText[]
}

/** A command to the run, and what the node's session is told of it, in one commit. */
export const withTold = (draft: RunDraft, workflow: Workflow, { nodeId, session, seq, before, decided, texts }: ToldSession) => ({
  run: followSession(draft, workflow, nodeId, decided.events, { before, after: decided.state }, {}),
  session: { session, seq, state: decided.state, events: decided.events },
  texts,
})
