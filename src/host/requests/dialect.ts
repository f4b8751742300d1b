// The dialect of a request: the names that its bodies and answers use. Sessions have two, ours and AgentOS's.
import type { FastifyRequest } from 'fastify'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import type { SessionConfig } from '../../core/session/config.ts'
import { Fault } from '../../errors.ts'
import { fromAosSessionConfig } from '../../wire/aos/config.ts'
import { DIALECTS, type Dialect } from '../../wire/onbook/aos-schema.ts'

/** Throws `dialect_unknown`. */
export function dialectOf(given: string | undefined): Dialect {
  const known = DIALECTS.find(dialect => dialect === (given ?? 'onbook'))
  if (known === undefined) throw new Fault('dialect_unknown', { given: (given ?? '').slice(0, 64).toWellFormed(), known: DIALECTS })
  return known
}

export const isAos = ({ query }: Pick<FastifyRequest, 'query'>): boolean => {
  const { dialect } = (query ?? {}) as { readonly dialect?: unknown }
  return typeof dialect === 'string' && dialectOf(dialect) === 'aos'
}

/** Translates a config from AgentOS's names. Throws `validation_error`. */
export function aosConfig(given: Json | undefined): SessionConfig {
  const config = fromAosSessionConfig(given)
  if (config !== null) return config
  throw new Fault('validation_error', {
    problem: 'The config is not a SessionConfig of AgentOS: provider and model are texts, all other fields of it are optional',
  })
}

/** Translates a body from AgentOS's names before validation, so that one schema covers both dialects. */
export async function translateConfig(request: FastifyRequest): Promise<void> {
  if (isAos(request)) request.body = aosConfig(request.body as Json)
}

/** The same for a body that contains a config. */
export async function translateCreated(request: FastifyRequest): Promise<void> {
  const { body } = request as { readonly body: Json }
  if (isAos(request) && isObject(body) && body.config !== undefined) request.body = { ...body, config: aosConfig(body.config) }
}
