// /v1/workspaces/{workspace}/files/*: reads and writes one file as a stream of bytes. Headers make a browser save the file, not show it.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { MOST_FILE_BYTES, writeFile } from '../../../engine/workspaces/files.ts'
import { type OpenFile, openFile } from '../../../engine/workspaces/read.ts'
import { checkUse } from '../../../engine/workspaces/versions.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { commitAnswer, deleteQuery, fileParams, putQuery, versionQuery } from '../../../wire/onbook/workspace-schema.ts'
import { principalOf } from '../../access/access.ts'
import { isUnchanged, tagOf } from '../../requests/entity-tags.ts'
import { type Pieces, takeBytes } from '../../requests/raw-bytes.ts'
import { answers } from '../answers.ts'
import { commitOnce, userOf } from './writes.ts'

/** The content belongs to a tenant: shared caches must not store it. */
const FOR_EVER = 'private, max-age=31536000, immutable'
const ASK_AGAIN = 'private, no-cache'

type Params = Static<typeof fileParams>

export function workspaceFileRoutes(app: FastifyInstance, store: Store): void {
  app.get<{ Params: Params; Querystring: Static<typeof versionQuery> }>(
    '/v1/workspaces/:workspace/files/*',
    {
      schema: {
        operationId: 'readWorkspaceFile',
        params: fileParams,
        querystring: versionQuery,
        produces: ['application/octet-stream'],
        response: answers(Type.String({ format: 'binary' }), 'The bytes of the file.'),
      },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { workspace, '*': path } = request.params
      const { version } = request.query
      const file = await openFile(store, user, { workspace, version: version === undefined ? undefined : Number(version) }, path)
      reply
        .header('etag', tagOf(file.digest))
        .header('cache-control', version === undefined ? ASK_AGAIN : FOR_EVER)
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', `attachment; filename="${file.name}"`)
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('accept-ranges', 'bytes')
        .type('application/octet-stream')
      if (isUnchanged(request.headers['if-none-match'], tagOf(file.digest))) return reply.code(304).send()
      return sendBytes(reply, path, file, rangeOf(request.headers.range, request.headers['if-range'], file))
    },
  )

  app.delete<{ Params: Params; Querystring: Static<typeof deleteQuery> }>(
    '/v1/workspaces/:workspace/files/*',
    {
      schema: {
        operationId: 'deleteWorkspaceFile',
        params: fileParams,
        querystring: deleteQuery,
        response: answers(commitAnswer, 'A new version, without the file.'),
      },
    },
    async (request, reply) => {
      const principal = principalOf(request, 'workspaces:write')
      const { workspace, '*': path } = request.params
      const { message } = request.query
      const changes = [{ path, write: null }]
      return commitOnce(store, principal, request, reply, { workspace, path, changes, message, createdStatus: 200, body: null })
    },
  )

  app.register(async bytes => {
    takeBytes(bytes)
    bytes.put<{ Params: Params; Querystring: Static<typeof putQuery>; Body: Pieces | undefined }>(
      '/v1/workspaces/:workspace/files/*',
      {
        bodyLimit: MOST_FILE_BYTES,
        schema: {
          operationId: 'writeWorkspaceFile',
          params: fileParams,
          querystring: putQuery,
          consumes: ['application/octet-stream'],
          response: answers(commitAnswer, 'A new version, with the file. Nothing was different: the one there was.'),
        },
      },
      async (request, reply) => {
        const principal = principalOf(request, 'workspaces:write')
        const { workspace, '*': path } = request.params
        // Checked before any byte is read.
        checkUse(userOf(principal), workspace, 'write', path)
        const { mode, message } = request.query
        const write = await writeFile(store, principal.tenant, path, request.body ?? [])
        const changes = [{ path, write, mode }]
        return commitOnce(store, principal, request, reply, { workspace, path, changes, message, createdStatus: 200, body: write.digest })
      },
    )
  })
}

type Range = readonly [start: number, end: number]

/** One range, as RFC 9110 writes it. Any other header returns the whole file. */
function rangeOf(header: string | undefined, ifRange: string | string[] | undefined, { digest, size }: OpenFile): Range | null {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '')
  if (found === null || (ifRange !== undefined && ifRange !== tagOf(digest))) return null
  const [, first = '', last = ''] = found
  if (first === '' && last === '') return null
  if (first === '') return [Math.max(0, size - Number(last)), size]
  return [Number(first), last === '' ? size : Math.min(Number(last) + 1, size)]
}

function sendBytes(reply: FastifyReply, path: string, file: OpenFile, range: Range | null): FastifyReply {
  const [start, end] = range ?? [0, file.size]
  if (range !== null && !(start < end && start < file.size)) {
    reply.removeHeader('content-disposition').header('content-range', `bytes */${file.size}`).type('application/json')
    throw new Fault('range_invalid', { path, size: file.size, range: `${start}-${end}` })
  }
  if (range !== null) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${file.size}`)
  return reply.header('content-length', end - start).send(Readable.from(file.bytes(start, end)))
}
