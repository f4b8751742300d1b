// Stores and reads objects: bytes that are named by their digest. A tenant can name the objects that it stored.
import { answerWith } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Objects {
  /** Storing the same bytes again returns the same digest. */
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
