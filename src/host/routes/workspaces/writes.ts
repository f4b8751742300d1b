// Shared by the routes that write to a workspace: the user, preconditions, and idempotent answers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Digest, Json } from '../../../core/digest/digest.ts'
import { EVERYTHING, READING, type WorkspaceOperation } from '../../../core/workspace/policy.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { type CommitChanges, type CommitResult, commitChanges } from '../../../engine/workspaces/commit.ts'
import { readRef } from '../../../engine/workspaces/read.ts'
import type { WorkspaceUser, WorkspaceVersion } from '../../../engine/workspaces/versions.ts'
import type { Store } from '../../../ports.ts'
import { isSame, tagOf } from '../../requests/entity-tags.ts'
import { type Answer, answerDecided } from '../../requests/idempotent.ts'

/** A key has workspaces that it may use, and scopes for its operations there. A writer may always resolve the latest version. */
export function userOf({ tenant, workspaces, scopes }: Principal): WorkspaceUser {
  const writing: readonly WorkspaceOperation[] = scopes.includes('workspaces:write') ? ['write', 'resolve'] : []
  const reading = scopes.includes('workspaces:read') ? READING : []
  return { tenant, policy: [{ workspaces, operations: [...reading, ...writing] }] }
}

export interface Writing extends Pick<CommitChanges, 'workspace' | 'changes' | 'message' | 'expected'> {
  /** The file whose digest If-Match may name instead of the root. */
  readonly path?: string
  readonly createdStatus: 200 | 201
  /** Identifies the request when it is retried. */
  readonly body: Json
}

export function commitOnce(
  store: Store,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, createdStatus, body, ...asked }: Writing,
): Promise<FastifyReply> {
  const writer = { ...userOf(principal), actor: principal.actor }
  const precondition = preconditionOf(store, principal.tenant, request, path)
  const perform = async (keep: (answer: Answer) => ReturnType<NonNullable<CommitChanges['idempotency']>>) => {
    const idempotency = (result: CommitResult) => keep(answerTo(result, createdStatus))
    const result = await commitChanges(store, writer, { ...asked, precondition, idempotency })
    return { answer: answerTo(result, createdStatus), replayed: result.replayed }
  }
  return answerDecided(store, principal.tenant, request, reply, perform, body)
}

function answerTo({ replayed: _, ...result }: CommitResult, createdStatus: number): Answer {
  const status = result.outcome === 'committed' ? createdStatus : 200
  return { status, headers: { etag: tagOf(result.root) }, body: result as unknown as Json }
}

/** If-Match names the root of the newest version or, for a write to one file, that file. */
function preconditionOf(
  store: Store,
  tenant: string,
  { headers }: FastifyRequest,
  path: string | undefined,
): CommitChanges['precondition'] {
  const header = headers['if-match']
  if (header === undefined) return undefined
  return async (head: WorkspaceVersion | null) => {
    if (head === null) return false
    const { workspace, root } = head
    const file = path === undefined ? null : await readRef(store, { tenant, policy: EVERYTHING }, { workspace, root }, path)
    if (header.trim() === '*') return path === undefined || file !== null
    const digests: readonly Digest[] = [root, ...(file === null ? [] : [file.digest])]
    return digests.some(digest => isSame(header, tagOf(digest)))
  }
}
