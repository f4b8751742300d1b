// Creates, reads and follows sessions of a host. The client does not cache sessions, because they change at any time.
import type {
  ApplyAnswer,
  ApplyWhen,
  MessageInput,
  RunRequest,
  SessionCommandRequest,
  SessionDescription,
  SessionSummary,
  SyncAnswer,
  SyncRequest,
  TranscriptPage,
  WireSessionConfig,
} from '../../wire/onbook/sessions.ts'
import { eachItem } from '../each-page.ts'
import type { ServerEvent } from '../event-stream.ts'
import { type EventOptions, readEvents } from '../events.ts'
import { answerWith, listIn } from '../shapes.ts'
import type { CallOptions, Question, Transport } from '../transport.ts'
import { type WriteOptions, writeHeaders } from '../write.ts'

export interface ApplyOptions extends WriteOptions {
  /** Also apply packs whose tests did not pass. */
  readonly untested?: boolean
}

export interface Sessions {
  /** The host chooses a name when none is given. */
  create(
    given: { readonly session?: string; readonly agentId?: string; readonly config?: WireSessionConfig },
    options?: WriteOptions,
  ): Promise<{ readonly session: string; readonly config: WireSessionConfig }>
  list(options?: CallOptions): AsyncIterable<SessionSummary>
  get(session: string, options?: CallOptions): Promise<SessionDescription>
  configure(session: string, config: WireSessionConfig, options?: WriteOptions): Promise<void>
  /** A failed sync is an answer, not an error. */
  sync(session: string, request?: SyncRequest, options?: WriteOptions): Promise<SyncAnswer>
  /** A refused apply is an answer, not an error. */
  apply(session: string, when?: ApplyWhen, options?: ApplyOptions): Promise<ApplyAnswer>
  /** Resolves when the run is on record. The run continues by itself. `runs.events(runId)` follows its steps and calls. */
  run(session: string, request: RunRequest, options?: WriteOptions): Promise<{ readonly run: number; readonly runId: string }>
  command(session: string, command: SessionCommandRequest, options?: WriteOptions): Promise<{ readonly id: string }>
  /** Sends a message to a run that waits for input. */
  provideInput(session: string, message: MessageInput, options?: WriteOptions): Promise<{ readonly run: number }>
  transcript(session: string, page?: { readonly from?: number; readonly limit?: number }, options?: CallOptions): Promise<TranscriptPage>
  /** Events of type `delta` are pieces of an unfinished reply. They have no id. */
  events(session: string, options?: EventOptions): AsyncIterable<ServerEvent>
}

const PATH = '/v1/sessions'
const pathOf = (session: string, rest = ''): string => `${PATH}/${encodeURIComponent(session)}${rest}`

export function createSessions(transport: Transport): Sessions {
  const write = async <T>(method: Question['method'], path: string, body: unknown, options: WriteOptions, field: string): Promise<T> => {
    const { headers, call } = writeHeaders(options, transport)
    return answerWith((await transport.ask({ method, path, body, headers, ...call })).body, field) as T
  }
  const read = async (path: string, options: CallOptions, query: Question['query'] = []) =>
    (await transport.ask({ method: 'GET', path, query, ...options })).body
  return {
    create: (given, options = {}) => write('POST', PATH, given, options, 'session'),
    list: (options = {}) => eachItem<SessionSummary>(transport, PATH, options),
    get: async (session, options = {}) => answerWith(await read(pathOf(session), options), 'lifecycle') as SessionDescription,
    async configure(session, config, options = {}) {
      await write('PUT', pathOf(session, '/config'), config, options, 'session')
    },
    sync: (session, request = {}, options = {}) => write('POST', pathOf(session, '/sync'), request, options, 'outcome'),
    apply(session, when, { untested = false, ...options } = {}) {
      const body = { ...(when === undefined ? {} : { when }), ...(untested ? { untested } : {}) }
      return write('POST', pathOf(session, '/apply'), body, options, 'outcome')
    },
    run: (session, request, options = {}) => write('POST', pathOf(session, '/runs'), request, options, 'runId'),
    command: (session, command, options = {}) => write('POST', pathOf(session, '/commands'), command, options, 'id'),
    provideInput: (session, message, options = {}) => write('POST', pathOf(session, '/input'), { message }, options, 'run'),
    async transcript(session, { from, limit } = {}, options = {}) {
      const page = await read(pathOf(session, '/transcript'), options, [
        ['from', from?.toString()],
        ['limit', limit?.toString()],
      ])
      listIn(page, 'entries')
      return page as TranscriptPage
    },
    events: (session, options = {}) => readEvents(transport, pathOf(session, '/events'), options),
  }
}
