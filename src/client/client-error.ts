// The error that the client throws for every failure. An abort by the caller throws the caller's own reason instead.

/** Codes of the client itself. All other codes come from the host. */
export type ClientCode =
  | 'host_unreachable' // no answer came
  | 'time_limit_reached'
  | 'host_unset' // the client was made without a url
  | 'response_invalid' // an answer came and makes no sense
  | 'ref_invalid'
  | 'label_missing'
  | 'snapshot_invalid'
  | 'event_too_long'

export interface ErrorParts {
  readonly code: string
  readonly message: string
  readonly status?: number | null
  readonly details?: unknown
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}

export class ClientError extends Error {
  override readonly name = 'ClientError'
  /** A ClientCode, or a code of the host. A newer host may send new codes. */
  readonly code: string
  /** The HTTP status; null when no response arrived. */
  readonly status: number | null
  readonly details: unknown
  /** The host's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | null

  constructor({ code, message, status = null, details = null, retryAfterMs = null, cause }: ErrorParts) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.details = details
    this.retryAfterMs = retryAfterMs
  }
}

export const clientError = (code: ClientCode, message: string, more: Omit<ErrorParts, 'code' | 'message'> = {}): ClientError =>
  new ClientError({ code, message, ...more })

/** The host does not answer, or is overloaded. The request itself may be valid. */
export const isUnreachable = ({ code, status }: ClientError): boolean =>
  status === null
    ? code === 'host_unreachable' || code === 'time_limit_reached' || code === 'host_unset'
    : status === 429 || status === 408 || status >= 500

/** The host answers that it does not have this, or no longer. */
export const isGone = ({ status }: ClientError): boolean => status === 404 || status === 410
