// Bodies as bytes in pieces, whatever type they are said to have. Nothing here is read as JSON.
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

export type Pieces = AsyncIterable<Uint8Array>

/** @param app with routes of their own: all of them take bytes */
export function takeBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, (payload as Readable).iterator({ destroyOnReturn: false })))
  // What was refused halfway is read to its end: the next request comes behind it on the same connection.
  app.addHook('onResponse', (request, _reply, done) => {
    request.raw.resume()
    done()
  })
}
