// Starts, reads, follows, steers and stops runs of a host. The client does not cache runs, because they change at any time.
import type { ForkedRun, ForkRequest } from '../../wire/onbook/fork.ts'
import type { StepPrompt, WholePrompt } from '../../wire/onbook/run-prompts.ts'
import type {
  ApprovalReply,
  AskedApproval,
  RunDescription,
  RunMode,
  StartedRun,
  StartRunRequest,
  WireRunSummary,
} from '../../wire/onbook/runs.ts'
import type { MessageInput } from '../../wire/onbook/sessions.ts'
import { eachItem } from '../each-page.ts'
import type { ServerEvent } from '../event-stream.ts'
import { type EventOptions, readEvents } from '../events.ts'
import { answerWith, fieldOf, listIn } from '../shapes.ts'
import type { CallOptions, Question, Transport } from '../transport.ts'
import { type WriteOptions, writeHeaders } from '../write.ts'

export type RunStreamMode = 'values' | 'updates' | 'messages' | 'debug' | 'onbook'

export interface RunEventOptions extends EventOptions {
  /** Default: `updates`. `values` cannot be combined with other modes. */
  readonly modes?: readonly RunStreamMode[]
}

export interface RunFilter extends CallOptions {
  readonly workflowId?: string
  readonly status?: string
  /** Default: `oldest` first. */
  readonly order?: 'oldest' | 'newest'
  /** Only runs that were created then or later: an ISO 8601 time. */
  readonly since?: string
  /** Only runs whose id begins with this text. */
  readonly prefix?: string
  /** Whether each run names its agents, prompts and decisions. */
  readonly details?: boolean
  /** Runs a page, at most 1000. */
  readonly limit?: number
}

type Standing = Promise<{ readonly runId: string; readonly status: string }>

export interface Runs {
  /** Resolves when the run is on record. The run continues by itself. */
  create(request: StartRunRequest, options?: WriteOptions): Promise<StartedRun>
  /** Creates a new run that replays a recorded one, or continues it from an event. */
  fork(runId: string, request: ForkRequest, options?: WriteOptions): Promise<ForkedRun>
  get(runId: string, options?: CallOptions): Promise<RunDescription>
  list(filter?: RunFilter): AsyncIterable<WireRunSummary>
  /** Ends with the run. Pieces of an unfinished reply (`ai.message.chunk`, `onbook.message.chunk`) have no id. */
  events(runId: string, options?: RunEventOptions): AsyncIterable<ServerEvent>
  cancel(runId: string, reason?: string, options?: WriteOptions): Standing
  pause(runId: string, options?: WriteOptions): Standing
  resume(runId: string, options?: WriteOptions): Standing
  mode(runId: string, mode: RunMode, options?: WriteOptions): Standing
  /** For one node, or for all nodes without an override. A text of null removes it. */
  override(runId: string, given: { readonly nodeId?: string | null; readonly text: string | null }, options?: WriteOptions): Standing
  /**
   * An interrupt stops the current reply. A steer waits for the next step, a follow-up for the end of the turn. `session` is the lasting session that
   * the node works in, or null where the run holds its messages.
   */
  say(
    runId: string,
    nodeId: string,
    kind: 'steer' | 'interrupt' | 'follow-up',
    message: MessageInput,
    options?: WriteOptions,
  ): Promise<{ readonly session: string | null; readonly id: string }>
  /** The prompts of every step, oldest first. */
  prompts(runId: string, options?: CallOptions): AsyncIterable<StepPrompt>
  /** The prompt of one step, word for word. Default: the newest visit. */
  prompt(runId: string, nodeId: string, step: number, options?: CallOptions & { readonly visit?: number }): Promise<WholePrompt>
  /** Resolves when the run has ended. Pass a signal to limit the wait. */
  waitFor(runId: string, options?: { readonly signal?: AbortSignal }): Promise<RunDescription>
}

export interface Approvals {
  /** Lists open approvals. */
  list(options?: CallOptions): AsyncIterable<AskedApproval>
  resolve(
    approval: string,
    reply: ApprovalReply,
    options?: WriteOptions,
  ): Promise<{ readonly runId: string; readonly session: string | null; readonly decision: string }>
}

const PATH = '/v1/runs'
const pathOf = (runId: string, rest = ''): string => `${PATH}/${encodeURIComponent(runId)}${rest}`

export function createRuns(transport: Transport): Runs {
  const write = writerOf(transport)
  const read = async (path: string, options: CallOptions, query: Question['query'] = []) =>
    (await transport.ask({ method: 'GET', path, query, ...options })).body
  const get: Runs['get'] = async (runId, options = {}) => answerWith(await read(pathOf(runId), options), 'status') as RunDescription
  const events: Runs['events'] = (runId, { modes, ...options } = {}) => {
    const query = modes === undefined ? '' : `?streamMode=${modes.join(',')}`
    return untilEnd(readEvents(transport, pathOf(runId, `/events${query}`), options))
  }
  return {
    get,
    events,
    create: (request, options = {}) => write(PATH, request, options, 'runId'),
    fork: (runId, request, options = {}) => write(pathOf(runId, ':fork'), request, options, 'runId'),
    list: ({ workflowId, status, order, since, prefix, details, limit, ...options } = {}) =>
      eachItem<WireRunSummary>(transport, PATH, options, [
        ['workflowId', workflowId],
        ['status', status],
        ['order', order],
        ['since', since],
        ['prefix', prefix],
        ['details', details?.toString()],
        ['limit', limit?.toString()],
      ]),
    cancel: (runId, reason, options = {}) => write(pathOf(runId, '/cancel'), reason === undefined ? {} : { reason }, options, 'status'),
    pause: (runId, options = {}) => write(pathOf(runId, '/pause'), undefined, options, 'status'),
    resume: (runId, options = {}) => write(pathOf(runId, '/resume'), undefined, options, 'status'),
    mode: (runId, mode, options = {}) => write(pathOf(runId, '/mode'), { mode }, options, 'status'),
    override: (runId, given, options = {}) => write(pathOf(runId, '/override'), given, options, 'status'),
    say: (runId, nodeId, kind, message, options = {}) =>
      write(pathOf(runId, `/nodes/${encodeURIComponent(nodeId)}/messages`), { kind, message }, options, 'id'),
    async *prompts(runId, options = {}) {
      for (let after: string | undefined; ; ) {
        const page = await read(pathOf(runId, '/prompts'), options, [['after', after]])
        yield* listIn(page, 'items') as readonly StepPrompt[]
        const next = fieldOf(page, 'next')
        if (typeof next !== 'number') return
        after = String(next)
      }
    },
    async prompt(runId, nodeId, step, { visit, ...options } = {}) {
      const path = pathOf(runId, `/prompts/${encodeURIComponent(nodeId)}/${step}`)
      return answerWith(await read(path, options, [['visit', visit?.toString()]]), 'full') as WholePrompt
    },
    async waitFor(runId, { signal } = {}) {
      for await (const _ of events(runId, signal === undefined ? {} : { signal })) {
        // The stream ends with the run. The events themselves are not needed.
      }
      return get(runId, signal === undefined ? {} : { signal })
    },
  }
}

export function createApprovals(transport: Transport): Approvals {
  const write = writerOf(transport)
  return {
    list: (options = {}) => eachItem<AskedApproval>(transport, '/v1/approvals', options),
    resolve: (approval, reply, options = {}) => write(`/v1/approvals/${encodeURIComponent(approval)}`, reply, options, 'decision'),
  }
}

const LAST = /^run\.(?:completed|failed|cancelled)$/

/** Stops after the last event, so that the reader does not reconnect to a finished stream. */
async function* untilEnd(events: AsyncIterable<ServerEvent>): AsyncGenerator<ServerEvent> {
  for await (const event of events) {
    yield event
    if (LAST.test(event.type)) return
  }
}

const writerOf =
  (transport: Transport) =>
  async <T>(path: string, body: unknown, options: WriteOptions, field: string): Promise<T> => {
    const { headers, call } = writeHeaders(options, transport)
    const asked = { method: 'POST' as const, path, headers, ...(body === undefined ? {} : { body }), ...call }
    return answerWith((await transport.ask(asked)).body, field) as T
  }
