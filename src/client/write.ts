// What every write carries: a key that makes asking twice asking once.
import type { CallOptions } from './transport.ts'

export interface WriteOptions extends CallOptions {
  /** Made when none is given. Give your own to be safe across restarts. */
  readonly idempotencyKey?: string
  readonly workspaceId?: string
}

export function writeHeaders(options: WriteOptions): { readonly headers: Record<string, string>; readonly call: CallOptions } {
  const { idempotencyKey = makeKey(), workspaceId: _, ...call } = options
  return { headers: { 'idempotency-key': idempotencyKey }, call }
}

/** crypto.randomUUID is missing in browsers on plain http; random values are not. */
const makeKey = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
