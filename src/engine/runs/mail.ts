// Handoffs on their way to a node: read from the record, and put before it as what they are, the words of another agent.

import { handoffsText } from '../../core/compose/task.ts'
import type { Handoff } from '../../core/compose/task-payload.ts'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { RunState } from '../../core/run/state.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { Store } from '../../ports.ts'
import { readStored } from './node-values.ts'

export interface Mail {
  readonly handoff: string
  readonly body: Handoff
}

export const hasMail = ({ inbox }: RunState, nodeId: string): boolean => inbox.some(({ to }) => to === nodeId)

/** Oldest first. */
export async function mailTo(store: Store, tenant: string, { inbox }: RunState, nodeId: string): Promise<readonly Mail[]> {
  const mail: Mail[] = []
  for (const { handoff, to, body } of inbox) if (to === nodeId) mail.push({ handoff, body: await readHandoff(store, tenant, body) })
  return mail
}

export const readHandoff = async (store: Store, tenant: string, body: Digest): Promise<Handoff> =>
  (await readStored<{ readonly handoff: Handoff }>(store, tenant, body)).handoff

export const deliveries = (nodeId: string, mail: readonly Mail[]): readonly RunEvent[] =>
  mail.map(({ handoff }) => ({ type: 'handoff.delivered', handoff, nodeId }))

export interface Letters {
  readonly commands: readonly SessionCommand[]
  readonly texts: readonly StoredText[]
}

/** For a session in which no model is being asked: it reads them before anything else, in order. */
export function lettersOf(runId: string, mail: readonly Mail[]): Letters {
  const letters = mail.map(({ handoff, body }) => {
    const said = `Another node of this run has sent you this.\n\n${handoffsText([body])}`
    const text = writeMessage({ role: 'user', content: [{ type: 'text', text: said }] })
    return { id: `${runId}/${handoff}`, message: digestText(text), text }
  })
  return {
    commands: letters.map(({ id, message }) => ({ type: 'receive', command: { kind: 'interrupt', id, message } })),
    texts: letters.map(({ message, text }) => ({ digest: message, text })),
  }
}
