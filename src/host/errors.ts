// Every failure as one flat envelope: a code, a sentence, details.
import type { FastifyError, FastifyReply } from 'fastify'
import { Fault, type FaultCode } from '../errors.ts'
import { describeRequest } from './logs.ts'

/** What the framework refuses on its own, in our words. */
const REFUSED: Readonly<Record<string, readonly [status: number, code: FaultCode]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'body_too_large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'media_type_unsupported'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'validation_error'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'validation_error'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'validation_error'],
  FST_ERR_BAD_URL: [400, 'validation_error'],
  FST_ERR_ASYNC_CONSTRAINT: [400, 'validation_error'],
}

export function sendError(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof Fault) return sendFault(error, reply)
  const { code, message, validation, validationContext, statusCode } = error as FastifyError
  if (validation !== undefined) {
    const [first] = validation
    const place = `${validationContext ?? 'request'}${first?.instancePath ?? ''}`
    return reply.code(400).send({ error: 'validation_error', message: `${place} ${first?.message ?? 'is not valid'}.`, details: { place } })
  }
  const refused = REFUSED[code]
  if (refused !== undefined) return reply.code(refused[0]).send({ error: refused[1], message })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return reply.code(statusCode).send({ error: 'validation_error', message })
  const details = logFailure(error, reply)
  return reply.code(500).send({ error: 'internal_error', message: 'Something went wrong here. The host has written down what.', details })
}

function sendFault(fault: Fault, reply: FastifyReply): FastifyReply {
  const { code, status, details } = fault
  const envelope = fault.toJSON()
  if (code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if ('retryAfterMs' in details) reply.header('retry-after', Math.ceil(details.retryAfterMs / 1_000))
  if (status < 500) return reply.code(status).send(envelope)
  return reply.code(status).send({ ...envelope, details: { ...details, ...logFailure(fault, reply) } })
}

/** What a user can quote, and we can find. */
function logFailure(error: unknown, { request }: FastifyReply): { readonly requestId: string } {
  request.log.error({ ...describeRequest(request), err: error }, 'request failed')
  return { requestId: request.id }
}
