// Bytes by their name. What is stored once can be named from then on, by the tenant that stored it.
import { answerWith } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Objects {
  /** Storing the same bytes again gives the same name. */
  put(bytes: Uint8Array, options?: CallOptions): Promise<{ readonly digest: string; readonly size: number }>
  get(digest: string, options?: CallOptions): Promise<Uint8Array>
}

export function createObjects(transport: Transport): Objects {
  return {
    put: async (body, options = {}) =>
      answerWith((await transport.ask({ method: 'POST', path: '/v1/objects', body, ...options })).body, 'digest') as {
        digest: string
        size: number
      },
    async get(digest, { signal = new AbortController().signal } = {}) {
      const response = await transport.open({ method: 'GET', path: `/v1/objects/${encodeURIComponent(digest)}` }, signal)
      return new Uint8Array(await response.arrayBuffer())
    },
  }
}
