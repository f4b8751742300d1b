// Everything that goes wrong in the client, except what the caller aborts: that is thrown as the caller's own reason.

/** Codes of the client's own; all others are the host's. */
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
  /** A word: ClientCode, or one of the host's. New hosts have new ones. */
  readonly code: string
  /** Of the HTTP answer; null when there was none. */
  readonly status: number | null
  readonly details: unknown
  /** How long the host asks to be left alone. */
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

/** Nobody is there, or nobody has time: the question itself may be fine. */
export const isUnreachable = ({ code, status }: ClientError): boolean =>
  status === null
    ? code === 'host_unreachable' || code === 'time_limit_reached' || code === 'host_unset'
    : status === 429 || status === 408 || status >= 500

/** The host is there and says that it no longer has this. */
export const isGone = ({ status }: ClientError): boolean => status === 404 || status === 410
