// Rejects messages that no model can be sent: in a history, such a message would fail every later run of the session.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** Throws `object_malformed`, with nothing written. @param objects stored in the same commit */
export async function checkMessage(store: Store, tenant: string, digest: Digest, objects: readonly Uint8Array[] = []): Promise<void> {
  const bytes = objects.find(one => digestBytes(one) === digest) ?? (await store.object(tenant, digest))
  const read = readMessages(bytes)
  if (!read.ok) throw new Fault('object_malformed', { digest, problem: read.problem.message })
}
