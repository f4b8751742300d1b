// The address of something on this host, as the caller reaches it.
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the host is reached from outside; null where callers reach it by the name that they send. */
    readonly publicUrl: string | null
  }
}

/** The Host header was checked before: it is one of the names of this host. */
export const absoluteUrl = ({ server, protocol, headers }: FastifyRequest, path: string): string =>
  `${server.publicUrl ?? `${protocol}://${headers.host}`}${path}`
