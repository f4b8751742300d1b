// The one rule for keys that are limited to workspaces: which streams they may see, and which objects they may read or name.
import { isMember, keyActor } from '../../core/access/keys.ts'
import { originRows, uploadedDraft, uploadRows, uploadStream } from '../../core/access/membership.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { runStream } from '../../core/run/events.ts'
import { sessionStream } from '../../core/session/events.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import { workspaceStream } from '../../core/workspace/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { loadAgent } from '../definitions/agents.ts'
import { sessionMissing } from '../sessions/requests.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'
import type { Principal } from './access.ts'

export type Member = Pick<Principal, 'keyId' | 'tenant' | 'workspaces'>

/** A key without `*` sees only its own workspaces, and what touched no other. */
export const isLimited = ({ workspaces }: Member): boolean => !workspaces.includes('*')

/** Tenant-wide content, which routes of its own show to every key of the tenant. */
const SHARED = ['library', 'workflow', 'agent']

/** A stream of another kind may name anything of the tenant: checkpoints list every stream. A limited key does not see it. */
export async function maySee(store: Store, member: Member, stream: string): Promise<boolean> {
  if (!isLimited(member)) return true
  const [kind = '', name = ''] = stream.split('/')
  if (kind === 'workspace' || kind === 'workspace-library') return isMember(member.workspaces, name)
  if (kind === 'session' || kind === 'run') return seesOrigins(store, member, stream)
  return SHARED.includes(kind) || stream === uploadStream(member.keyId)
}

/** Text flows between a run and the sessions of its nodes: one workspace of another key hides all of them. */
async function seesOrigins(store: Store, { tenant, workspaces }: Member, stream: string): Promise<boolean> {
  const streams = new Set([stream])
  for (const of of streams)
    for await (const { cells } of store.rows(originRows.table, tenant, { of })) {
      const name = String(cells.name)
      if (cells.kind === 'workspace') {
        if (!isMember(workspaces, name)) return false
      } else streams.add(cells.kind === 'run' ? runStream(name) : sessionStream(name))
    }
  return true
}

/** A workspace that does not exist, or that the key is not a member of, is refused alike: a name in a request is never authority. */
export async function checkWorkspaceId(store: Store, { tenant, workspaces }: Member, workspaceId: string): Promise<void> {
  if (isMember(workspaces, workspaceId) && (await store.head(tenant, workspaceStream(workspaceId))).seq >= 0) return
  throw new Fault('workspace_membership_required', { workspaceId: workspaceId.slice(0, 128) })
}

/** The lasting and home sessions that a run of this workflow would use. A session that the key may not see counts as missing. */
export async function checkHomes(store: Store, member: Member, { nodes }: Workflow): Promise<void> {
  if (!isLimited(member)) return
  for (const { session, agentId } of nodes) {
    const home = session ?? (agentId === null ? null : ((await loadAgent(store, member.tenant, agentId))?.agent.session ?? null))
    if (home !== null && !(await maySee(store, member, sessionStream(home)))) throw sessionMissing(home)
  }
}

/** A limited key reads and names the objects it uploaded itself. Everything else it reads through the run, session or workspace it is part of. */
export async function checkObject(store: Store, member: Member, digest: Digest): Promise<void> {
  if (!isLimited(member)) return
  for await (const _ of store.rows(uploadRows.table, member.tenant, { of: uploadStream(member.keyId), digest })) return
  throw new Fault('object_missing', { digest })
}

/** The images in messages that a limited key sends are objects that it names. */
async function checkMessages(store: Store, member: Member, bytes: Uint8Array): Promise<void> {
  const read = readMessages(bytes)
  if (!read.ok) return
  for (const part of read.messages.flatMap(({ content }) => content))
    if (part.type === 'image' && 'digest' in part) await checkObject(store, member, part.digest)
    // The policy grants secrets to the content of workspaces; a message that bypasses one is granted none.
    else if (part.type === 'secret') throw new Fault('secret_not_granted', { secret: part.id })
}

/** Objects that a request names as messages or tools: their content would reach a model. */
export async function checkNamedObjects(store: Store, member: Member, digests: readonly Digest[]): Promise<void> {
  if (!isLimited(member)) return
  for (const digest of digests) {
    await checkObject(store, member, digest)
    await checkMessages(store, member, await store.object(member.tenant, digest))
  }
}

/** The same for messages that come with the request itself. */
export async function checkSentMessages(store: Store, member: Member, sent: readonly Uint8Array[]): Promise<void> {
  if (isLimited(member)) for (const bytes of sent) await checkMessages(store, member, bytes)
}

/** Called after the bytes are stored: only a sender that has the bytes becomes a member. */
export async function noteUpload(store: Store, member: Member, digest: Digest): Promise<void> {
  if (!isLimited(member)) return
  const { tenant, keyId } = member
  const stream = uploadStream(keyId)
  await optimisticRetry(async () => {
    const { seq } = await store.head(tenant, stream)
    for await (const _ of store.rows(uploadRows.table, tenant, { of: stream, digest })) return
    await store.commit({ tenant, appends: [{ stream, expected: seq, entries: [uploadedDraft(digest, keyActor(keyId))] }] })
  })
}
