// Opens the book that a command works with: of the host that is named or runs on the folder, else of a host in this process.

import type { CommandParts, LocalWork } from '../../book/command-host.ts'
import { type Book, connect } from '../../book.ts'
import type { Binding } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { answerOf, eventPages } from './host-pages.ts'
import { hostFor, type WhichHost, workAt } from './which-host.ts'

export interface OpenBook {
  readonly book: Book
  /** The host that does the work. Null when this process does it, until the command ends. */
  readonly host: WhichHost | null
  readonly local: LocalWork | null
  /** Events by the path of their route, oldest first; with a signal also new ones, until it aborts. */
  stream<E>(path: string, options?: StreamOptions): AsyncIterable<E>
  close(): Promise<void>
}

export interface StreamOptions {
  readonly after?: number
  readonly signal?: AbortSignal
}

export interface BookUse extends Pick<CommandParts, 'record' | 'judges'> {
  /** Replaces the tools of the repo, which are bound where the policy decides about calls. */
  readonly tools?: readonly Binding[]
  /** The shortest time limit for one answer of a host. */
  readonly patienceMs?: number
}

export const withBook = async (input: Input, work: (open: OpenBook) => Promise<number>, use: BookUse = {}): Promise<number> =>
  workAt(await openBook(input, use), input, work)

export async function openBook(input: Input, use: BookUse = {}): Promise<OpenBook> {
  const host = await hostFor(input)
  return host === null ? (await import('./open-here.ts')).openHere(input, use) : openHost(host, use)
}

function openHost(host: WhichHost, { patienceMs = 0 }: BookUse): OpenBook {
  const { url, key } = host
  const book = connect({ url, key, timeoutMs: Math.max(host.timeoutMs, patienceMs) })
  return { book, host, local: null, stream: streamOf(book, path => answerOf(fetch, host, path)), close: async () => {} }
}

/** @param ask sends one request and returns the raw response */
export function streamOf(book: Book, ask: (path: string) => Promise<Response>): OpenBook['stream'] {
  return async function* stream<E>(path: string, { after = -1, signal }: StreamOptions = {}) {
    if (signal === undefined) return yield* eventPages<E>(ask, path, after)
    try {
      // Pieces of unfinished replies are not part of the record.
      for await (const { type, data } of book.events(path, { after: String(after), signal }))
        if (type !== 'delta') yield JSON.parse(data) as E
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
