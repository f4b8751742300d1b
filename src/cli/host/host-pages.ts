// What the client does not ask a host for: a file, and a stream's events in pages.
import { ClientError } from '../../client/index.ts'
import { Fault } from '../../errors.ts'
import type { WhichHost } from './which-host.ts'

export const hostAnswer = ({ url, key }: WhichHost, path: string): Promise<Response> =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } }).catch((error: Error) => {
    throw new Fault('host_absent', { where: url, reason: String((error.cause as Error | undefined)?.message ?? error.message) })
  })

/** Those there are, oldest first. */
export async function* eventPages<E>(host: WhichHost, path: string, first: number): AsyncIterable<E> {
  for (let after: number | null = first; after !== null; ) {
    const answer = await hostAnswer(host, `${path}?limit=1000&after=${after}`)
    const page = (await answer.json()) as { events?: readonly E[]; next: number | null; error: string; message: string }
    if (page.events === undefined) throw new ClientError({ code: page.error, message: page.message, status: answer.status })
    yield* page.events
    after = page.next
  }
}
