// /v1/objects: stores and serves bytes by digest, separately for each tenant. Does not interpret them.
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { noteUpload } from '../../engine/access/membership.ts'
import { MOST_FILE_BYTES, writeFile } from '../../engine/workspaces/files.ts'
import type { Store } from '../../ports.ts'
import { CLOSED, digest } from '../../wire/onbook/schema-parts.ts'
import { principalOf } from '../access/access.ts'
import { isUnchanged, tagOf } from '../requests/entity-tags.ts'
import { type Pieces, takeBytes } from '../requests/raw-bytes.ts'
import { answers, createdAnswers } from './answers.ts'

const objectParams = Type.Object({ digest }, CLOSED)
const objectAnswer = Type.Object({ digest, size: Type.Integer({ minimum: 0 }) }, CLOSED)

export function objectRoutes(app: FastifyInstance, store: Store): void {
  app.get<{ Params: Static<typeof objectParams> }>(
    '/v1/objects/:digest',
    {
      schema: {
        operationId: 'getObject',
        params: objectParams,
        produces: ['application/octet-stream'],
        response: answers(Type.String({ format: 'binary' }), 'The bytes.'),
      },
    },
    async (request, reply) => {
      const { tenant } = principalOf(request, 'objects:read')
      const name = request.params.digest as Digest
      const bytes = store.readObject(tenant, name)[Symbol.asyncIterator]()
      // A missing object shows only when the first chunk is read.
      const first = await bytes.next()
      reply
        .header('etag', tagOf(name))
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        .header('content-disposition', 'attachment')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .type('application/octet-stream')
      if (isUnchanged(request.headers['if-none-match'], tagOf(name))) {
        await bytes.return?.()
        return reply.code(304).send()
      }
      return reply.send(Readable.from(from(first, bytes)))
    },
  )

  app.register(async raw => {
    takeBytes(raw)
    raw.post<{ Body: Pieces | undefined }>(
      '/v1/objects',
      {
        bodyLimit: MOST_FILE_BYTES,
        schema: {
          operationId: 'createObject',
          consumes: ['application/octet-stream'],
          response: createdAnswers(objectAnswer, 'Stored, under the name that its bytes have.'),
        },
      },
      async (request, reply) => {
        const principal = principalOf(request, 'objects:write')
        const stored = await writeFile(store, principal.tenant, 'the object', request.body ?? [])
        await noteUpload(store, principal, stored.digest)
        return reply
          .code(201)
          .header('location', `/v1/objects/${stored.digest}`)
          .send(stored as unknown as Json)
      },
    )
  })
}

async function* from(first: IteratorResult<Uint8Array>, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value
}
