// Reads pending handoffs from the record and presents them to a node as untrusted input of another agent.

import { handoffsText } from '../../../core/compose/task.ts'
import type { Handoff } from '../../../core/compose/task-payload.ts'
import { type Digest, digestText } from '../../../core/digest/digest.ts'
import { writeMessage } from '../../../core/messages/message.ts'
import { decideRun } from '../../../core/run/decide.ts'
import { emitRun, type RunDraft } from '../../../core/run/draft.ts'
import type { RunEvent } from '../../../core/run/events.ts'
import type { RunState } from '../../../core/run/state.ts'
import type { StoredText } from '../../../core/session/history.ts'
import type { Workflow } from '../../../core/workflow/workflow.ts'
import type { Store } from '../../../ports.ts'
import { readStored } from '../../turns/node-values.ts'

export interface Mail {
  readonly handoff: string
  readonly body: Handoff
}

/** Oldest first. */
export async function mailTo(store: Store, tenant: string, { inbox }: RunState, nodeId: string): Promise<readonly Mail[]> {
  const mail: Mail[] = []
  for (const { handoff, to, body } of inbox) if (to === nodeId) mail.push({ handoff, body: await readHandoff(store, tenant, body) })
  return mail
}

export const readHandoff = async (store: Store, tenant: string, body: Digest): Promise<Handoff> =>
  (await readStored<{ readonly handoff: Handoff }>(store, tenant, body)).handoff

/** Messages for a node without an open model call: they come before anything else, in order. */
export async function deliverLetters(
  store: Store,
  tenant: string,
  draft: RunDraft,
  workflow: Workflow,
  nodeId: string,
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly draft: RunDraft; readonly texts: readonly StoredText[] }> {
  const mail = (await mailTo(store, tenant, draft.state, nodeId)).slice(0, most)
  const texts: StoredText[] = []
  let next = draft
  for (const { handoff, body } of mail) {
    const content = `Another node of this run has sent you this.\n\n${handoffsText([body])}`
    const text = writeMessage({ role: 'user', content: [{ type: 'text', text: content }] })
    const message = { kind: 'interrupt', id: `${draft.state.runId}/${handoff}`, message: digestText(text) } as const
    const delivered = emitRun(next, ...deliveries(nodeId, [{ handoff, body }]))
    const left = decideRun(delivered, workflow, { type: 'turn', nodeId, command: { type: 'leaveMessage', message } })
    if (!('events' in left)) continue
    next = left
    texts.push({ digest: message.message, text })
  }
  return { draft: next, texts }
}

export const deliveries = (nodeId: string, mail: readonly Mail[]): readonly RunEvent[] =>
  mail.map(({ handoff }) => ({ type: 'handoff.delivered', handoff, nodeId }))
