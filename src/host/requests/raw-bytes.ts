// Accepts request bodies as a stream of bytes, of any content type. Nothing is parsed as JSON.
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

export type Pieces = AsyncIterable<Uint8Array>

/** @param app a scope whose routes all take bytes */
export function takeBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, (payload as Readable).iterator({ destroyOnReturn: false })))
  // The rest of a refused body is read and discarded: the next request follows it on the same connection.
  app.addHook('onResponse', (request, _reply, done) => {
    request.raw.resume()
    done()
  })
}
