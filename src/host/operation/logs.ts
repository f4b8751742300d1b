// Writes the host's log as lines of JSON: failures and slow requests. Never a header, a body, a query or a key.
import { type FastifyReply, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

export interface LogOptions {
  /** Failures are logged as errors, slow requests as warnings, all other requests as infos. */
  readonly level?: (typeof LOG_LEVELS)[number]
  readonly slowMs?: number
  readonly stream?: { write(line: string): void }
}

export const SLOW_MS = 1_000
/** Our code logs none of these. If that ever changes, the logger redacts them. */
const SECRET = ['authorization', 'cookie', 'set-cookie', 'body', 'query', 'token', 'key', 'headers', 'url']
const PLAIN_ID = /^[A-Za-z0-9._-]{1,64}$/

export const loggerOf = ({ level = 'warn', stream = process.stderr }: LogOptions) =>
  ({
    logger: {
      level,
      stream,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      redact: { paths: SECRET.flatMap(name => [`["${name}"]`, `*["${name}"]`]), remove: true },
      serializers: { err: describeError },
    },
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request would cost more than many requests do.
    childLoggerFactory: logger => logger,
  }) satisfies FastifyServerOptions

/** Identifies a request. Includes the caller's own id only when it is plain. */
export function describeRequest({ id, method, headers, principal, routeOptions: { url = 'none' } }: FastifyRequest): object {
  const given = headers['x-request-id']
  return {
    requestId: id,
    ...(typeof given === 'string' && PLAIN_ID.test(given) ? { callerId: given } : {}),
    ...(principal === null || principal === undefined ? {} : { keyId: principal.keyId }),
    method,
    route: url,
  }
}

/** The message of a syntax error quotes its input, which may be secret. */
function describeError(error: Error & { readonly code?: string }): Described {
  const { name, code, message, stack = '', cause } = error
  return {
    type: name,
    ...(code === undefined ? {} : { code }),
    message: name === 'SyntaxError' ? '' : withoutKeys(message),
    stack: stack
      .split('\n')
      .filter(line => /^\s+at /.test(line))
      .join('\n'),
    ...(cause instanceof Error ? { cause: describeError(cause) } : {}),
  }
}

type Described = Record<string, unknown> & { readonly type: string; readonly message: string; readonly stack: string }

const withoutKeys = (text: string): string => text.replaceAll(/onbook_[0-9a-f]{16}_[0-9A-Za-z_-]+/g, '[key]').slice(0, 1_000)

export function responseLogger({
  level = 'warn',
  slowMs = SLOW_MS,
}: LogOptions): (request: FastifyRequest, reply: FastifyReply, ms: number) => void {
  const all = level === 'info' || level === 'debug'
  return (request, reply, ms) => {
    const slow = ms >= slowMs && !reply.streamed
    if (!slow && !all) return
    const line = { ...describeRequest(request), status: reply.statusCode, ms: Math.round(ms) }
    if (slow) request.log.warn(line, 'slow request')
    else request.log.info(line, 'request')
  }
}
