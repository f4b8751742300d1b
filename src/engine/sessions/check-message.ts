// A message that no model could be sent must not enter a history: every later run of the session would fail.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Submission } from './submit.ts'

/** Throws `object_unfit`, with nothing written. */
export async function checkMessage(store: Store, tenant: string, command: SessionCommand, { objects = [] }: Submission): Promise<void> {
  const digest = messageOf(command)
  if (digest === null) return
  const bytes = objects.find(one => digestBytes(one) === digest) ?? (await store.object(tenant, digest))
  const read = readMessages(bytes)
  if (!read.ok) throw new Fault('object_unfit', { digest, problem: read.problem.message })
}

const messageOf = (command: SessionCommand): Digest | null => (command.type === 'leaveMessage' ? command.message.message : null)
