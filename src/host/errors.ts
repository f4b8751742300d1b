// Every failure as one flat envelope: a code, a sentence, details.
import type { FastifyError, FastifyReply } from 'fastify'
import { Fault } from '../errors.ts'

/** What the framework refuses on its own, in our words. */
const REFUSED: Readonly<Record<string, readonly [status: number, code: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'body_too_large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'media_type_unsupported'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'validation_error'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'validation_error'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'validation_error'],
  FST_ERR_BAD_URL: [400, 'validation_error'],
  FST_ERR_ASYNC_CONSTRAINT: [400, 'validation_error'],
}

export function sendError(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof Fault) {
    if (error.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
    return reply.code(error.status).send(error.toJSON())
  }
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
  reply.log.error(error)
  return reply.code(500).send({ error: 'internal_error', message: 'Something went wrong here. The host has written down what.' })
}
