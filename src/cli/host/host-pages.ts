// Requests that the client has no method for: long questions, and the events of a stream in pages.
import { ClientError } from '../../client/index.ts'
import { Fault } from '../../errors.ts'
import type { WhichHost } from './which-host.ts'

export interface AskOptions {
  readonly method?: 'GET' | 'POST'
  /** For a question that keeps a healthy host busy: the timeout applies to a health check first, and the answer may take longer. */
  readonly long?: boolean
}

/** How many times the timeout a long question may take. */
const LONG = 20

export async function hostAnswer(host: WhichHost, path: string, { method = 'GET', long = false }: AskOptions = {}): Promise<Response> {
  if (long) await answerOf(fetch, host, '/healthz')
  return answerOf(fetch, long ? { ...host, timeoutMs: LONG * host.timeoutMs } : host, path, method)
}

export async function answerOf(send: typeof fetch, { url, key, timeoutMs }: WhichHost, path: string, method = 'GET'): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    return await send(`${url}${path}`, { method, signal, headers: { authorization: `Bearer ${key}` } })
  } catch (error) {
    if (signal.aborted) throw new Fault('host_silent', { where: url, seconds: timeoutMs / 1_000 })
    const { cause, message } = error as Error
    throw new Fault('host_absent', { where: url, reason: String((cause as Error | undefined)?.message ?? message) }, { cause: error })
  }
}

/** All events of a stream so far, oldest first. */
export async function* eventPages<E>(ask: (path: string) => Promise<Response>, path: string, first: number): AsyncIterable<E> {
  for (let after: number | string | null = first; after !== null; ) {
    const answer = await ask(`${path}${path.includes('?') ? '&' : '?'}limit=1000&after=${after}`)
    const page = (await answer.json()) as { events?: readonly E[]; next: number | string | null; error: string; message: string }
    if (page.events === undefined) throw new ClientError({ code: page.error, message: page.message, status: answer.status })
    yield* page.events
    after = page.next
  }
}
