// Builds the absolute URL of a path on this host, as the caller reaches it.
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** The public URL; null where callers reach the host by the name that they send. */
    readonly publicUrl: string | null
  }
}

/** The Host header was checked before: it is a name of this host. */
export const absoluteUrl = ({ server, protocol, headers }: FastifyRequest, path: string): string =>
  `${server.publicUrl ?? `${protocol}://${headers.host}`}${path}`
