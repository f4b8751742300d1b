// Decides which parts of a workspace prelude may reach a model: secrets that the policy grants, and images of that workspace.
// Checked at a sync; secrets are checked again before each model call.
import type { Digest } from '../../core/digest/digest.ts'
import { refusedSecrets, secretRefusal } from '../../core/gate/secret-grants.ts'
import { type ChatMessage, slotsIn } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { SyncResult } from '../../core/session/sync.ts'
import { fail } from '../../core/session/sync-effects.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { listFiles } from '../workspaces/read.ts'
import type { WorkspaceUser } from '../workspaces/versions.ts'
import type { TurnParts } from './performing.ts'

export const NOT_GRANTED = 'secret_not_granted'

/** Ids of the slots in a stored prelude. Bytes that are erased or no messages ask for nothing: they are never sent. */
export const preludeSecrets = async (store: Store, tenant: string, digest: Digest): Promise<readonly string[]> =>
  slotsIn(await preludeMessages(store, tenant, digest))

async function preludeMessages(store: Store, tenant: string, digest: Digest): Promise<readonly ChatMessage[]> {
  try {
    return messagesOf(await store.object(tenant, digest))
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}

function messagesOf(bytes: Uint8Array): readonly ChatMessage[] {
  const read = readMessages(bytes)
  return read.ok ? read.messages : []
}

/** A sync fails, and nothing is replaced, when its prelude asks for a secret that the policy does not grant, or for an image of elsewhere. */
export async function checkedSync(
  parts: Pick<TurnParts, 'store' | 'secretGrants'>,
  { tenant, session }: { readonly tenant: string; readonly session: string },
  user: WorkspaceUser,
  result: SyncResult,
): Promise<SyncResult> {
  if (result.outcome !== 'ready' || result.snapshot.prelude === null) return result
  const { workspace, root, prelude } = result.snapshot
  const made = result.objects.find(({ digest }) => digest === prelude.digest)
  const messages =
    made === undefined ? await preludeMessages(parts.store, tenant, prelude.digest) : messagesOf(new TextEncoder().encode(made.text))
  const refused = refusedSecrets(parts.secretGrants ?? [], { tenant, workspace, agent: session }, slotsIn(messages))
  if (refused.length > 0) return fail('prelude', NOT_GRANTED, secretRefusal({ workspace }, prelude.name, refused))
  const images = made === undefined ? messages.flatMap(imagesIn) : []
  if (images.length === 0) return result
  const { entries } = await listFiles(parts.store, user, { workspace, root, scope: 'subtree' })
  const foreign = images.find(image => !entries.some(({ digest }) => digest === image))
  const problem = `prompts/packs/${prelude.name}.json names the image ${foreign}, which is not a file of workspace ${workspace}; put it there`
  return foreign === undefined ? result : fail('prelude', 'prelude_invalid', problem)
}

/** Messages that a person wrote may name any object. Compiled messages name files of the workspace. */
const imagesIn = ({ content }: ChatMessage): readonly Digest[] =>
  content.flatMap(part => (part.type === 'image' && 'digest' in part ? [part.digest] : []))

/** Why a step may not be sent with this snapshot's prelude, or null. A snapshot may be older than the policy. */
export async function preludeRefusal(
  parts: TurnParts,
  tenant: string,
  agent: string,
  { workspace, prelude }: Snapshot,
): Promise<string | null> {
  if (prelude === null) return null
  const asked = await preludeSecrets(parts.store, tenant, prelude.digest)
  const refused = refusedSecrets(parts.secretGrants ?? [], { tenant, workspace, agent }, asked)
  return refused.length === 0 ? null : secretRefusal({ workspace }, prelude.name, refused)
}
