// Runs through a host: it advances them, and goes on when the command has ended.
import { type Client, ClientError, createClient } from '../../client/index.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { runStream } from '../../core/run/events.ts'
import { emptyRun } from '../../core/run/state.ts'
import { eventPages } from '../host/host-pages.ts'
import type { WhichHost } from '../host/which-host.ts'
import type { ShownEvent } from '../sessions/desk.ts'
import type { ListedApproval, RunDesk, RunRequest } from './desk.ts'
import { noRun } from './leave-command.ts'
import { foldEvent, isSettled } from './standing.ts'

export function runDeskThrough(host: WhichHost): RunDesk {
  const client: Client = createClient(host)

  /** The record itself, not what OpenWOP makes of it: so both desks tell the same. */
  async function* events(runId: string, { after = -1, signal }: { readonly after?: number; readonly signal?: AbortSignal } = {}) {
    const path = `/v1/streams/${encodeURIComponent(runStream(runId))}/events`
    try {
      if (signal === undefined) yield* eventPages<ShownEvent>(host, path, after)
      else for await (const { data } of client.events(path, { after: String(after), signal })) yield JSON.parse(data) as ShownEvent
    } catch (error) {
      if (error instanceof ClientError && error.code === 'stream_missing') throw noRun(runId)
      if (signal?.aborted !== true) throw error
    }
  }

  return {
    async create({ configurable, ...request }) {
      return (await client.runs.create({ ...request, ...(configurable === null ? {} : { configurable }) })).runId
    },
    async fork(runId, { mode, fromSeq, ...more }) {
      const overlay = 'overlay' in more && more.overlay !== undefined ? { runOptionsOverlay: more.overlay } : {}
      return (await client.runs.fork(runId, { mode, fromSeq, ...overlay })).runId
    },
    // The list of a host tells phases: what a run waits for is in its snapshot.
    async *list() {
      for await (const run of client.runs.list())
        yield run.status === 'running' ? { ...run, status: (await client.runs.get(run.runId)).status } : run
    },
    events,
    object: digest => client.objects.get(digest),
    waiting: runId =>
      client.runs.get(runId).then(
        ({ waiting = null }) => waiting,
        error => {
          // A key that reads the record and no runs still sees the story.
          if (error instanceof ClientError && error.code === 'forbidden') return null
          throw error
        },
      ),
    hear(runId, nodeId, signal, listen) {
      void (async () => {
        for await (const { type, data } of client.runs.events(runId, { modes: ['onbook'], signal }))
          if (type === 'onbook.message.chunk') {
            const piece = JSON.parse(data) as { readonly nodeId: string; readonly kind: string; readonly text: string }
            if (piece.nodeId === nodeId && piece.kind === 'text') listen(piece.text)
          }
      })().catch(() => {}) // the record has the whole
    },
    async ask(runId, request) {
      await asked(client, runId, request)
    },
    async say(runId, nodeId, kind, message) {
      await client.runs.say(runId, nodeId, kind, message)
    },
    async approvals() {
      const open: ListedApproval[] = []
      for await (const approval of client.approvals.list()) open.push(approval as ListedApproval)
      return open
    },
    async resolve(approval, { decision, note, arguments: changed }) {
      await client.approvals.resolve(approval, {
        decision,
        ...(note === null ? {} : { note }),
        ...(changed === null ? {} : { arguments: changed as JsonObject }),
      })
    },
    // What it goes on with is the host's to do.
    takeUp: async () => {},
    async settled(runId, after) {
      const stop = new AbortController()
      let state = emptyRun
      try {
        for await (const event of events(runId, { signal: stop.signal })) {
          state = foldEvent(state, event)
          if (event.seq > after && isSettled(state)) return
        }
      } finally {
        stop.abort()
      }
    },
    lasts: true,
    close: async () => {},
  }
}

function asked({ runs }: Client, runId: string, request: RunRequest): Promise<unknown> {
  switch (request.type) {
    case 'pause':
      return runs.pause(runId)
    case 'resume':
      return runs.resume(runId)
    case 'cancel':
      return runs.cancel(runId, request.reason ?? undefined)
    case 'mode':
      return runs.mode(runId, request.mode)
    case 'override':
      return runs.override(runId, { nodeId: request.nodeId, text: request.text })
  }
}
