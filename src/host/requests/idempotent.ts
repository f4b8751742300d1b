// Folder: Parts of a request that several routes share: cursors, dialects, entity tags, idempotency keys.
// Idempotent writes: a repeated request with the same Idempotency-Key gets the first answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { digestJson, type Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

interface Kept extends Answer {
  readonly requestHash: string
  /** The time of the answer: the store deletes old ones. */
  readonly at: string
}

interface Once {
  /** The entry for the commit; undefined without a key. */
  idempotency(answer: Answer): { readonly key: string; readonly answer: Json } | undefined
  /** The stored answer, or null. */
  replay(): Promise<Answer | null>
}

const KEY = /^[\x21-\x7e][\x20-\x7e]{0,254}$/

/** Keys are separate for each tenant, method and path. */
function onceFor(store: Store, tenant: string, request: FastifyRequest, body: Json): Once {
  const given = request.headers['idempotency-key']
  if (given === undefined) return { idempotency: () => undefined, replay: async () => null }
  if (typeof given !== 'string' || !KEY.test(given))
    throw new Fault('validation_error', { problem: 'Idempotency-Key must be 1 to 255 printable characters' })
  const key = `http ${request.method} ${request.url.split('?')[0]} ${given}`
  const { url, workspaceId } = request
  // The body no longer has its workspaceId at this point. With another workspace it is another request.
  const requestHash = digestJson({ url, body, ...(workspaceId === null ? {} : { workspaceId }) })
  return {
    idempotency: answer => ({ key, answer: { ...answer, requestHash, at: new Date().toISOString() } as unknown as Json }),
    async replay() {
      const found = await store.answer(tenant, key)
      if (found === null || !isObject(found)) return null
      const kept = found as unknown as Kept
      if (kept.requestHash !== requestHash) throw new Fault('idempotency_key_mismatch', { key: given })
      return kept
    },
  }
}

/**
 * Sends the stored answer, or performs the request and stores its answer. When two requests with the same key race, the loser gets the answer of the
 * winner. Refusals are not stored.
 */
export const answerOnce = (
  store: Store,
  tenant: string,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  perform: (idempotency: ReturnType<Once['idempotency']>) => Promise<{ readonly replayed: boolean }>,
): Promise<FastifyReply> => answerDecided(store, tenant, request, reply, async keep => ({ answer, ...(await perform(keep(answer))) }))

/**
 * The same, where the answer depends on the result. `body` identifies the request where the real body is a stream. The stored answer may be only what
 * `complete` needs to rebuild the full one.
 */
export async function answerDecided(
  store: Store,
  tenant: string,
  request: FastifyRequest,
  reply: FastifyReply,
  perform: (keep: Once['idempotency']) => Promise<{ readonly answer: Answer; readonly replayed: boolean }>,
  body = (request.body ?? null) as Json,
  complete = async (answer: Answer): Promise<Answer> => answer,
): Promise<FastifyReply> {
  const once = onceFor(store, tenant, request, body)
  const { answer, replayed } = await answered(once, perform)
  return sendAnswer(reply, await complete(answer), replayed)
}

async function answered(
  once: Once,
  perform: (keep: Once['idempotency']) => Promise<{ readonly answer: Answer; readonly replayed: boolean }>,
): Promise<{ readonly answer: Answer; readonly replayed: boolean }> {
  const kept = await once.replay()
  if (kept !== null) return { answer: kept, replayed: true }
  try {
    const { answer, replayed } = await perform(once.idempotency)
    return { answer: (await once.replay()) ?? answer, replayed }
  } catch (error) {
    const twin = await once.replay()
    if (twin === null) throw error
    return { answer: twin, replayed: true }
  }
}

function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer, replayed: boolean): FastifyReply {
  reply.code(status).headers(headers)
  if (replayed) reply.header('openwop-idempotent-replay', 'true')
  return body === null ? reply.send() : reply.send(body)
}
