// Sends every failure as one flat envelope: a code, a message, details.
import type { FastifyError, FastifyReply } from 'fastify'
import { Fault } from '../errors.ts'
import { describeRequest } from './operation/logs.ts'

/** Our codes for refusals of the framework. All its other refusals are `validation_error`. */
const REFUSED: Readonly<Record<string, 'body_too_large' | 'media_type_unsupported'>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
}

export function sendError(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof Fault) return sendFault(error, reply)
  const { code, message, validation, validationContext, statusCode } = error as FastifyError
  if (validation !== undefined) {
    const [first] = validation
    const place = `${validationContext ?? 'request'}${first?.instancePath ?? ''}`
    return reply.code(400).send({ error: 'validation_error', message: `${place} ${mismatch(first)}.`, details: { place } })
  }
  const refused = REFUSED[code]
  if (refused !== undefined) return sendFault(new Fault(refused, {}), reply)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return reply.code(statusCode).send({ error: 'validation_error', message })
  const envelope = new Fault('internal_error', {}).toJSON()
  return reply.code(500).send({ ...envelope, details: logFailure(error, reply) })
}

/** The additional key, or the allowed values: the validator has them but leaves them out of its message. */
function mismatch(first: NonNullable<FastifyError['validation']>[number] | undefined): string {
  const { additionalProperty, allowedValues } = (first?.params ?? {}) as { additionalProperty?: string; allowedValues?: readonly unknown[] }
  if (additionalProperty !== undefined) return `has no "${additionalProperty.slice(0, 100)}"`
  if (allowedValues !== undefined) return `must be one of ${allowedValues.join(', ')}`
  return first?.message ?? 'is not valid'
}

function sendFault(fault: Fault, reply: FastifyReply): FastifyReply {
  const { code, status, details } = fault
  const envelope = fault.toJSON()
  if (code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if ('retryAfterMs' in details) reply.header('retry-after', Math.ceil(details.retryAfterMs / 1_000))
  // A capability that the host does not provide is a refusal, not a failure: it is not logged.
  if (status < 500 || code === 'capability_not_provided') return reply.code(status).send(envelope)
  return reply.code(status).send({ ...envelope, details: { ...details, ...logFailure(fault, reply) } })
}

/** Logs the failure, and returns the id that a user can quote. */
function logFailure(error: unknown, { request }: FastifyReply): { readonly requestId: string } {
  request.log.error({ ...describeRequest(request), err: error }, 'request failed')
  return { requestId: request.id }
}
