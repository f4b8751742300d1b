// Headers of write requests. An idempotency key lets the host recognise a retry, so that the write happens once.
import type { CallOptions, Transport } from './transport.ts'

export interface WriteOptions extends CallOptions {
  /** Default: a new key for each call that may be retried. Pass your own to be safe across restarts. */
  readonly idempotencyKey?: string
  readonly workspaceId?: string
}

interface Write {
  readonly headers: Record<string, string>
  readonly call: CallOptions
}

export function writeHeaders(options: WriteOptions, { retries }: Pick<Transport, 'retries'>): Write {
  const { idempotencyKey = retries === 0 ? undefined : makeKey(), workspaceId: _, ...call } = options
  return { headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }, call }
}

/** crypto.randomUUID is missing in browsers on plain http; getRandomValues is there. */
const makeKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
