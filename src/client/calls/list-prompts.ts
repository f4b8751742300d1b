// Lists all prompts that match a filter, page by page.
import type { PromptKind, PromptTemplate } from '../../wire/onbook/prompts.ts'
import { clientError } from '../client-error.ts'
import { fieldOf, listIn, templateIn } from '../shapes.ts'
import type { CallOptions, Question, Transport } from '../transport.ts'

export interface PromptFilter {
  readonly kind?: PromptKind
  readonly tags?: readonly string[]
  readonly modelClass?: string
  readonly source?: 'host' | 'pack' | 'user'
  readonly workspaceId?: string
  /** Prompts a page. */
  readonly limit?: number
}

export async function* listPrompts(transport: Transport, filter: PromptFilter, options: CallOptions): AsyncGenerator<PromptTemplate> {
  const { kind, tags = [], modelClass, source, workspaceId, limit } = filter
  let cursor: string | undefined
  do {
    const query: Question['query'] = [
      ['kind', kind],
      ...tags.map((tag): [string, string] => ['tag', tag]),
      ['modelClass', modelClass],
      ['source', source],
      ['workspaceId', workspaceId],
      ['limit', limit?.toString()],
      ['cursor', cursor],
    ]
    const { body } = await transport.ask({ method: 'GET', path: '/v1/prompts', query, ...options })
    for (const item of listIn(body, 'items')) yield templateIn(item)
    const next = fieldOf(body, 'nextCursor')
    if (typeof next === 'string' && next === cursor)
      throw clientError('response_invalid', 'The host gave the same cursor twice.', { status: 200 })
    cursor = typeof next === 'string' ? next : undefined
  } while (cursor !== undefined)
}
