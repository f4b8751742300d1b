// The fetch for provider requests: aborts an answer that takes too long, grows too large or has the wrong type. Does not retry.
import { Fault } from '../../errors.ts'

export interface AnswerLimits {
  /** For the whole answer. */
  readonly timeoutMs: number
  /** How long nothing may come; before an answer begins as well. */
  readonly idleMs: number
  readonly maxReplyBytes: number
}

export const ANSWER_LIMITS: AnswerLimits = { timeoutMs: 1_800_000, idleMs: 240_000, maxReplyBytes: 64 * 1024 * 1024 }

/** The limit of an error's body: the reason is at its beginning. */
const MOST_ERROR_BYTES = 64 * 1024

export interface Watch {
  /** Aborts with the one that is given, and when a limit is reached; then its reason is the fault. */
  readonly signal: AbortSignal
  readonly fetch: typeof globalThis.fetch
  /** Nothing more is wanted: no timer and no connection is left. */
  end(): void
}

export function watched({ timeoutMs, idleMs, maxReplyBytes }: AnswerLimits, signal: AbortSignal, streamed: boolean): Watch {
  const late = new AbortController()
  let whole: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  const begin = () => {
    whole = setTimeout(() => late.abort(new Fault('adapter_timeout', {})), timeoutMs)
    idle = setTimeout(() => late.abort(new Fault('provider_retryable', { problem: `it sent nothing for ${idleMs} ms` })), idleMs)
  }

  const limited = (most: number, onMore: (flow: TransformStreamDefaultController<Uint8Array>) => void) => {
    let bytes = 0
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, flow) {
        idle?.refresh()
        bytes += chunk.length
        if (bytes > most) onMore(flow)
        else flow.enqueue(chunk)
      },
    })
  }
  const tooLarge = () => new Fault('adapter_error', { problem: `its answer has more than ${maxReplyBytes} bytes` })

  return {
    signal: AbortSignal.any([signal, late.signal]),
    async fetch(address, init) {
      begin()
      // A redirect would carry key and secrets to wherever it points.
      const response = await fetch(address, { ...init, redirect: 'manual' })
      idle?.refresh()
      if (response.body === null) return response
      if (response.ok && streamed) checkKind(response.headers.get('content-type') ?? '')
      const limit = response.ok
        ? limited(maxReplyBytes, flow => flow.error(tooLarge()))
        : limited(MOST_ERROR_BYTES, flow => flow.terminate())
      return new Response(response.body.pipeThrough(limit), response)
    },
    end() {
      clearTimeout(whole)
      clearTimeout(idle)
      late.abort()
    },
  }
}

/** A page or a document has no events in it: it would look like an answer that broke off. Other names for streams are in use. */
function checkKind(type: string): void {
  const [kind] = /html|json/i.exec(type) ?? []
  if (kind === undefined) return
  throw new Fault('adapter_error', { problem: `it sent ${kind.toUpperCase()} instead of a stream of events; check its address` })
}
