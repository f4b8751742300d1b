// Folder: Parts of a request that several routes share: cursors, dialects, entity tags, idempotency keys.
// Asking twice is asking once: a request with an Idempotency-Key is answered as it was the first time.
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
  /** When it was given: the store forgets old ones. */
  readonly at: string
}

interface Once {
  /** What goes into the commit; undefined when no key was given. */
  idempotency(answer: Answer): { readonly key: string; readonly answer: Json } | undefined
  /** Answers from what is kept, if anything is. */
  replay(): Promise<Answer | null>
}

const KEY = /^[\x21-\x7e][\x20-\x7e]{0,254}$/

/** One key space per tenant, method and path. */
function onceFor(store: Store, tenant: string, request: FastifyRequest, body: Json): Once {
  const given = request.headers['idempotency-key']
  if (given === undefined) return { idempotency: () => undefined, replay: async () => null }
  if (typeof given !== 'string' || !KEY.test(given))
    throw new Fault('validation_error', { problem: 'Idempotency-Key must be 1 to 255 printable characters' })
  const key = `http ${request.method} ${request.url.split('?')[0]} ${given}`
  const { url, workspaceId } = request
  // A body is stored without the workspace that it names: with another one it is another request.
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
 * Answers from what is kept; else performs and keeps the answer. Of two that come at once, the one that is too late is answered as the other was.
 * Refusals are not kept.
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
 * The same, where the answer follows from what is decided. A body that is a stream is told by something that names it. What is kept may be
 * no more than what `complete` needs to find the rest.
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
