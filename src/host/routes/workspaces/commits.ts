// POST /v1/workspaces/:workspace/commits: creates the next version of a workspace from changes to the latest one.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Digest, Json } from '../../../core/digest/digest.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { checkObject } from '../../../engine/access/membership.ts'
import type { WorkspaceChange } from '../../../engine/workspaces/commit.ts'
import { storedFile } from '../../../engine/workspaces/files.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { commitAnswer, commitBody, workspaceParams } from '../../../wire/onbook/workspace-schema.ts'
import { principalOf } from '../../access/access.ts'
import { createdAnswers } from '../answers.ts'
import { commitOnce } from './writes.ts'

/** A folder is committed whole, after its objects were uploaded: a change takes about 200 bytes. */
const MOST_BYTES = 16 * 1024 * 1024

export function workspaceCommitRoutes(app: FastifyInstance, store: Store): void {
  app.post<{ Params: Static<typeof workspaceParams>; Body: Static<typeof commitBody> }>(
    '/v1/workspaces/:workspace/commits',
    {
      bodyLimit: MOST_BYTES,
      schema: {
        operationId: 'commitWorkspace',
        params: workspaceParams,
        body: commitBody,
        response: {
          ...createdAnswers(commitAnswer, 'A new version, with all of the changes.'),
          200: { ...commitAnswer, description: 'Nothing was different; there is no new version.' },
        },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'workspaces:write')
      const { expectedHead: expected, message, changes: asked } = request.body
      const { workspace } = request.params
      // A commit makes a file readable that it names by digest, so it needs the scope to read objects.
      if (asked.some(({ digest }) => digest !== undefined)) principalOf(request, 'objects:read')
      const changes: WorkspaceChange[] = []
      for (const one of asked) changes.push(await toChange(store, principal, one))
      return commitOnce(store, principal, request, reply, {
        workspace,
        message,
        expected,
        changes,
        createdStatus: 201,
        body: request.body as Json,
      })
    },
  )
}

async function toChange(
  store: Store,
  principal: Principal,
  { path, text, base64, digest, remove, mode, annotations }: Static<typeof commitBody>['changes'][number],
): Promise<WorkspaceChange> {
  const said = [text, base64, digest, remove].filter(one => one !== undefined).length
  if (said > 1) throw new Fault('validation_error', { problem: `${path} has more than one of text, base64, digest and remove` })
  if (said === 0 && annotations === undefined)
    throw new Fault('validation_error', { problem: `nothing is said about what becomes of ${path}` })
  const bytes = text !== undefined ? Buffer.from(text) : base64 !== undefined ? Buffer.from(base64, 'base64') : undefined
  const write = remove ? null : digest === undefined ? bytes : await uploaded(store, principal, path, digest as Digest)
  return {
    path,
    mode,
    ...(write === undefined ? {} : { write }),
    ...(annotations === undefined ? {} : { annotate: annotations as JsonObject }),
  }
}

async function uploaded(store: Store, principal: Principal, path: string, digest: Digest) {
  await checkObject(store, principal, digest)
  return storedFile(store, principal.tenant, path, digest)
}
