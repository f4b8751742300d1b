// Asking a person for another mode, and telling whoever asked what the person said.
import { digestText } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { isBusy, nodeOf, type OpenApproval, type RunState } from '../../core/run/state.ts'
import type { NodeOfRun } from '../../core/session/events.ts'
import type { Store } from '../../ports.ts'
import type { SessionWork } from '../sessions/work.ts'
import { loadRun } from './load.ts'
import type { RunWork } from './work.ts'

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

/** @param asked what was open before the answer */
export async function tellAnswer(
  sessions: SessionWork,
  tenant: string,
  state: RunState,
  events: readonly RunEvent[],
  asked: readonly OpenApproval[],
): Promise<void> {
  for (const event of events) {
    if (event.type !== 'approval.resolved') continue
    const node = nodeOf(state, asked.find(({ approval }) => approval === event.approval)?.nodeId ?? '')
    if (!isBusy(node)) continue
    const said = `Your request for IMPLEMENTATION was ${event.decision}.${event.note === null ? '' : ` ${event.note}`}`
    const text = writeMessage({ role: 'user', content: [{ type: 'text', text: said }] })
    const kind = node.status === 'waiting' ? 'follow-up' : 'steer'
    const command = { kind, id: event.approval, message: digestText(text) } as const
    const place = { tenant, session: node.session, actor: ACTOR }
    await sessions.submit(place, { type: 'receive', command }, { objects: [new TextEncoder().encode(text)] })
  }
}
