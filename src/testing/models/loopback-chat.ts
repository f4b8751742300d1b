// Servers on 127.0.0.1 that speak as OpenAI, Anthropic and Google do, streamed and whole: for tests of real provider code without a provider.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

export type Wire = 'openai' | 'anthropic' | 'google'

export interface Said {
  /** The text, in the pieces in which it is streamed. */
  readonly pieces?: readonly string[]
  readonly thoughts?: readonly string[]
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  /** As OpenAI says why it ended, where that does not follow from the rest. */
  readonly finish?: string
}

export interface Heard {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The bytes as text, unread. */
  readonly body: string
}

export interface LoopbackChat {
  readonly url: string
  readonly heard: readonly Heard[]
  /** Answers that are neither ended nor aborted by the client. */
  open(): number
  close(): Promise<void>
}

/** To be used as base URL, with what it heard. `answer` says something, or takes the response into its own hands. */
export async function loopbackChat(
  wire: Wire,
  answer: (response: ServerResponse, heard: Heard) => Said | undefined,
): Promise<LoopbackChat> {
  const heard: Heard[] = []
  let open = 0
  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const path = request.url ?? ''
    const call: Heard = { path, headers: request.headers, body }
    heard.push(call)
    open += 1
    response.once('close', () => {
      open -= 1
    })
    const said = answer(response, call)
    if (said === undefined) return
    const streams = path.includes('stream') || body.includes('"stream":true')
    if (streams) response.setHeader('content-type', 'text/event-stream').end(events(wire, said))
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(WHOLE[wire](said)))
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    heard,
    open: () => open,
    close: () =>
      new Promise(done => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** A stream of events in exactly these chunks; it stays open until the caller ends it. */
export async function sendChunks(response: ServerResponse, chunks: readonly (string | Uint8Array)[]): Promise<ServerResponse> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of chunks) {
    await new Promise(written => response.write(chunk, written))
    // Without a pause the network would put them together again.
    await new Promise(passed => setTimeout(passed, 5))
  }
  return response
}

/** The body of a streamed answer. */
export const events = (wire: Wire, said: Said): string =>
  STREAMED[wire](said)
    .map(line => line.concat('\n\n'))
    .join('')

const joined = ({ pieces = [] }: Said): string => pieces.join('')
const event = (value: object): string => `${'type' in value ? `event: ${value.type}\n` : ''}data: ${JSON.stringify(value)}`

const openAiCalls = ({ toolCalls = [] }: Said) =>
  toolCalls.map(({ id, name, arguments: given }, index) => ({ index, id, type: 'function', function: { name, arguments: given } }))
const openAiFinish = ({ finish, toolCalls }: Said): string => finish ?? (toolCalls === undefined ? 'stop' : 'tool_calls')
const openAiUsage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12, prompt_tokens_details: { cached_tokens: 2 } }
const openAiChunk = (delta: object, finish: string | null = null) =>
  event({
    ...{ id: 'c-1', object: 'chat.completion.chunk', created: 0, model: 'tiny' },
    ...{ choices: [{ index: 0, delta, finish_reason: finish }] },
  })

const anthropicUsage = { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 5 }
const googleUsage = { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12, cachedContentTokenCount: 2 }
const googleChunk = (parts: readonly object[], finish: object = {}) =>
  event({
    ...{ candidates: [{ index: 0, content: { role: 'model', parts }, ...finish }] },
    ...('finishReason' in finish ? { usageMetadata: googleUsage } : {}),
  })
const googleCalls = ({ toolCalls = [] }: Said) =>
  toolCalls.map(({ id, name, arguments: given }) => ({ functionCall: { name, args: JSON.parse(given) }, thoughtSignature: `signed-${id}` }))

const WHOLE: Readonly<Record<Wire, (said: Said) => object>> = {
  openai: said => ({
    ...{ id: 'c-1', object: 'chat.completion', created: 0, model: 'tiny' },
    choices: [
      {
        index: 0,
        finish_reason: openAiFinish(said),
        message: {
          role: 'assistant',
          content: joined(said) || null,
          ...(said.toolCalls === undefined ? {} : { tool_calls: openAiCalls(said) }),
        },
      },
    ],
    usage: openAiUsage,
  }),
  anthropic: said => ({
    ...{ id: 'm-1', type: 'message', role: 'assistant', model: 'tiny' },
    content: [
      ...(said.thoughts ?? []).map(thinking => ({ type: 'thinking', thinking, signature: 'signed' })),
      ...(said.pieces === undefined ? [] : [{ type: 'text', text: joined(said) }]),
      ...(said.toolCalls ?? []).map(({ id, name, arguments: given }) => ({ type: 'tool_use', id, name, input: JSON.parse(given) })),
    ],
    stop_reason: said.toolCalls === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: anthropicUsage,
  }),
  google: said => ({
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: { role: 'model', parts: [...(said.pieces === undefined ? [] : [{ text: joined(said) }]), ...googleCalls(said)] },
      },
    ],
    usageMetadata: googleUsage,
  }),
}

const STREAMED: Readonly<Record<Wire, (said: Said) => readonly string[]>> = {
  openai: said => [
    ...(said.pieces ?? []).map(content => openAiChunk({ content })),
    ...openAiCalls(said).map(call => openAiChunk({ tool_calls: [call] })),
    openAiChunk({}, openAiFinish(said)),
    event({ ...{ id: 'c-1', created: 0, model: 'tiny', choices: [], usage: openAiUsage } }),
    'data: [DONE]',
  ],
  anthropic: said => {
    const blocks = [
      ...(said.thoughts ?? []).map(thinking => ({
        start: { type: 'thinking', thinking: '' },
        deltas: [
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature: 'signed' },
        ],
      })),
      ...(said.pieces === undefined
        ? []
        : [{ start: { type: 'text', text: '' }, deltas: said.pieces.map(text => ({ type: 'text_delta', text })) }]),
      ...(said.toolCalls ?? []).map(({ id, name, arguments: given }) => ({
        start: { type: 'tool_use', id, name, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: given }],
      })),
    ]
    const { output_tokens, ...input } = anthropicUsage
    const message = { id: 'm-1', type: 'message', role: 'assistant', model: 'tiny', content: [], stop_reason: null, stop_sequence: null }
    const end = {
      delta: { stop_reason: said.toolCalls === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens },
    }
    return [
      { type: 'message_start', message: { ...message, usage: { ...input, output_tokens: 1 } } },
      ...blocks.flatMap(({ start, deltas }, index) => [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', ...end },
      { type: 'message_stop' },
    ].map(event)
  },
  google: said => [
    ...(said.pieces ?? []).map(text => googleChunk([{ text }])),
    ...googleCalls(said).map(call => googleChunk([call])),
    googleChunk([{ text: '' }], { finishReason: 'STOP' }),
  ],
}
