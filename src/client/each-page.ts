// Iterates over all items of a list of the host, page by page.
import { fieldOf, listIn } from './shapes.ts'
import type { CallOptions, Question, Transport } from './transport.ts'

export async function* eachItem<T>(
  transport: Transport,
  path: string,
  options: CallOptions,
  filter: NonNullable<Question['query']> = [],
): AsyncGenerator<T> {
  for (let cursor: string | undefined; ; ) {
    const { body } = await transport.ask({ method: 'GET', path, query: [...filter, ['cursor', cursor]], ...options })
    yield* listIn(body, 'items') as readonly T[]
    const next = fieldOf(body, 'nextCursor')
    if (typeof next !== 'string') return
    cursor = next
  }
}
