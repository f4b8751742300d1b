// Runs through a host: it advances them, and goes on when the command has ended.
import { type Client, ClientError, createClient } from '../../client/index.ts'
import { runStream } from '../../core/run/events.ts'
import { emptyRun } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { WhichHost } from '../host/which-host.ts'
import type { ShownEvent } from '../sessions/desk.ts'
import type { ListedApproval, ListedRun, RunDesk, RunRequest } from './desk.ts'
import { foldEvent, isSettled } from './standing.ts'

export function runDeskThrough({ url, key }: WhichHost): RunDesk {
  const client: Client = createClient({ url, key, timeoutMs: 120_000 })
  const pathOf = (runId: string, rest = ''): string => `/v1/runs/${encodeURIComponent(runId)}${rest}`

  async function* events(runId: string, { after = -1, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {}) {
    const path = `/v1/streams/${encodeURIComponent(runStream(runId))}/events`
    if (signal === undefined) return yield* pagesOf(path, after)
    try {
      for await (const { data } of client.events(path, { after: String(after), signal })) yield JSON.parse(data) as ShownEvent
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  async function* pagesOf(path: string, first: number): AsyncIterable<ShownEvent> {
    for (let after: number | null = first; after !== null; ) {
      const page: { readonly events: readonly ShownEvent[]; readonly next: number | null } = await ask(
        'GET',
        `${path}?limit=1000&after=${after}`,
      )
      yield* page.events
      after = page.next
    }
  }

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }).catch(
      (error: Error) => {
        throw new Fault('host_absent', { where: url, reason: String((error.cause as Error | undefined)?.message ?? error.message) })
      },
    )
    const said = (await answer.json()) as T & { readonly error: string; readonly message: string; readonly details?: never }
    if (!answer.ok) throw new ClientError({ code: said.error, message: said.message, status: answer.status, details: said.details })
    return said
  }

  return {
    create: async request => (await ask<{ readonly runId: string }>('POST', '/v1/runs', request)).runId,
    async *list() {
      for (let cursor = ''; ; ) {
        const page: { readonly items: readonly ListedRun[]; readonly nextCursor?: string } = await ask(
          'GET',
          `/v1/runs?limit=1000${cursor}`,
        )
        yield* page.items
        if (page.nextCursor === undefined) return
        cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
      }
    },
    events,
    object: digest => client.objects.get(digest),
    hear(session, signal, listen) {
      void (async () => {
        for await (const { type, data } of client.sessions.events(session, { signal }))
          if (type === 'delta') {
            const { kind, text } = JSON.parse(data) as { readonly kind: string; readonly text: string }
            if (kind === 'text') listen(text)
          }
      })().catch(() => {}) // the record has the whole
    },
    async ask(runId, request) {
      await ask('POST', pathOf(runId, `/${request.type}`), bodyOf(request))
    },
    async say(runId, nodeId, kind, message) {
      await ask('POST', pathOf(runId, `/nodes/${encodeURIComponent(nodeId)}/messages`), { kind, message })
    },
    approvals: async () => (await ask<{ readonly items: readonly ListedApproval[] }>('GET', '/v1/approvals')).items,
    async resolve(approval, decision, note) {
      await ask('POST', `/v1/approvals/${encodeURIComponent(approval)}`, { decision, ...(note === null ? {} : { note }) })
    },
    takeUp: async () => {},
    async settled(runId) {
      const stop = new AbortController()
      let state = emptyRun
      try {
        for await (const event of events(runId, { signal: stop.signal })) {
          state = foldEvent(state, event)
          if (isSettled(state)) return
        }
      } finally {
        stop.abort()
      }
    },
    lasts: true,
    close: async () => {},
  }
}

function bodyOf(request: RunRequest): unknown {
  const { type: _, ...rest } = request
  return Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== null || name === 'text'))
}
