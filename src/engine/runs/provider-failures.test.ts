// Runs against a provider that misbehaves: for every row of docs/guide/providers.md, the run's reaction, its record, and its next prompt.
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { digestText } from '../../core/digest/digest.ts'
import { writeMessage } from '../../core/messages/message.ts'
import { events, loopbackChat, type Said, sendChunks } from '../../testing/models/loopback-chat.ts'
import { gate } from '../../testing/models/talking-chat.ts'
import { type Answering, ASKED, KEY, type ProviderRun, providerRun } from '../../testing/stories/provider-run.ts'
import { placeOf, TENANT } from '../../testing/stories/run-house.ts'

let run: ProviderRun
afterEach(async () => {
  await vi.waitFor(() => expect(run.server.open()).toBe(0))
  const kept = await run.end()
  // Nor its beginning: what is cut must be clean before.
  expect(kept).not.toContain(KEY.slice(0, 10))
  expect(kept).toContain('step.settled')
  expect(run.house.runs.problems).toEqual([])
})

const FAILED = [...ASKED, 'step.settled a', 'node.failed a', 'run.cancelling', 'run.failed']
const COMPLETED = [...ASKED, 'step.settled a', 'node.completed a', 'run.completed']
const RETRIED = (times: number) => Array.from({ length: times }, () => 'step.retried a')

const saying =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse): undefined => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
const errorBody = (message: string) => JSON.stringify({ error: { message } })

/** Answers the requests in turn; the last answer repeats for all later requests. */
const keyedMutex = (...answers: readonly Answering[]): Answering => {
  let nth = 0
  return (response, heard) => answers[Math.min(nth++, answers.length - 1)]!(response, heard)
}
const says =
  (said: Said): Answering =>
  () =>
    said
const raw =
  (chunks: readonly (string | Uint8Array)[], then: (response: ServerResponse) => void = response => response.end()): Answering =>
  response => {
    void sendChunks(response, chunks).then(then)
    return undefined
  }
const whole = says({ pieces: ['the whole'] })
const streamOf = (said: Said) => events('openai', said).split(/(?<=\n\n)/)
const [FIRST] = streamOf({ pieces: ['half '] }) as [string]

const outputOf = async (nodeId = 'a') => {
  const done = (await run.house.events()).find(event => event.type === 'node.completed' && event.nodeId === nodeId)
  return done?.type === 'node.completed' ? (JSON.parse(await run.house.text(done.output)) as { text: string }).text : null
}
const failureOf = async () => {
  const failed = (await run.house.events()).find(event => event.type === 'node.failed')
  return failed?.type === 'node.failed' ? failed : null
}
const shown = () => run.deltas.map(({ text }) => text).join('')

describe('a provider that streams', () => {
  it('is heard piece by piece, in order, and the pieces are the reply', async () => {
    run = await providerRun(raw(streamOf({ pieces: ['one ', 'two ', 'three'] })))
    await run.go()
    expect(run.deltas).toEqual(['one ', 'two ', 'three'].map(text => ({ kind: 'text', text })))
    expect(await outputOf()).toBe('one two three')
    expect(await run.house.story()).toEqual(COMPLETED)
    expect(await run.receipts()).toMatchObject([{ status: 'ok', finishReason: { reason: 'stop' }, usage: { total: 12 } }])
  })

  it('may cut characters in the middle', async () => {
    const text = 'Grüße, 日本 👩‍🚀'
    const bytes = Buffer.from(events('openai', { pieces: [text] }))
    const cuts = [...bytes.keys()].filter(at => (bytes[at]! & 0xc0) === 0x80)
    const chunks = cuts.map((at, index) => bytes.subarray(cuts[index - 1] ?? 0, at))
    run = await providerRun(raw([...chunks, bytes.subarray(cuts.at(-1))]))
    await run.go()
    expect([shown(), await outputOf()]).toEqual([text, text])
  })

  it('may say things that nobody knows, and keep the line open with comments', async () => {
    const chunks = streamOf({ pieces: ['one'] }).map(chunk =>
      chunk.replace('{', '{"x_trace":{"deep":[1]},').replace('"delta"', '"x":1,"delta"'),
    )
    run = await providerRun(raw([': here\n\n', ...chunks]))
    await run.go()
    expect(await outputOf()).toBe('one')
  })

  it('is waited for while anything comes, however long it takes', async () => {
    run = await providerRun(raw([...Array.from({ length: 240 }, () => ': here\n\n'), ...streamOf({ pieces: ['at last'] })]), {
      idleMs: 1_000,
    })
    await run.go()
    expect([await outputOf(), run.waits]).toEqual(['at last', []])
  })

  it('that sends a chunk twice has said it twice: chunks have no number', async () => {
    run = await providerRun(raw([FIRST, ...streamOf({ pieces: ['half '] })]))
    await run.go()
    expect([shown(), await outputOf()]).toEqual(['half half ', 'half half '])
  })

  it('shows tool calls as they are written', async () => {
    run = await providerRun(keyedMutex(says({ toolCalls: [probe('{"a":1}')] }), whole))
    await run.go()
    expect(run.deltas[0]).toEqual({ kind: 'tool', call: 1, name: 'probe', text: '{"a":1}' })
    expect(await outputOf()).toBe('the whole')
  })
})

describe('a provider that refuses', () => {
  it.each([
    [400, 'check the model and its parameters'],
    [401, 'check the key'],
    [403, 'check what the key may do'],
    [404, 'check the name of the model and the address'],
    [413, 'the prompt is too large for it'],
    [422, 'check the model and its parameters'],
  ])('with %i is asked once, and the run says: %s', async (status, hint) => {
    run = await providerRun(saying(status, errorBody('no')))
    await run.go()
    const message = `The provider refused: no (${status}: ${hint}). Trying again will not help.`
    expect(await failureOf()).toMatchObject({ code: 'provider_terminal', detail: message })
    expect(await run.receipts()).toEqual([{ status: 'error', code: 'provider_terminal', message }])
    expect([await run.house.story(), run.server.heard.length, run.waits]).toEqual([FAILED, 1, []])
  })

  it('by pointing elsewhere is not followed: the key stays where it was meant for', async () => {
    const elsewhere = await loopbackChat('openai', () => ({ pieces: ['caught'] }))
    run = await providerRun(saying(307, '', { location: `${elsewhere.url}/chat/completions` }))
    await run.go()
    expect(await failureOf()).toMatchObject({ code: 'provider_terminal', detail: expect.stringContaining('307: it points elsewhere') })
    expect(elsewhere.heard).toEqual([])
    await elsewhere.close()
  })

  it.each([
    ['long', 50_000, 'The provider refused: aaaa'],
    ['very long', 500_000, 'The provider refused: Bad Request'],
  ])('at length: an error that is %s is cut', async (_, length, start) => {
    run = await providerRun(saying(400, errorBody('a'.repeat(length))))
    await run.go()
    const { detail } = (await failureOf())!
    expect(detail.startsWith(start)).toBe(true)
    expect(detail.length).toBeLessThan(1_200)
  })
})

describe('a provider that cannot answer now', () => {
  it.each([
    ['429 with Retry-After', 429, { 'retry-after': '7' }, [7_000]],
    ['429 with a Retry-After that nobody wants to wait for', 429, { 'retry-after': '3600' }, [30_000]],
    ['429', 429, {}, [500]],
    ['500', 500, {}, [500]],
    ['502', 502, {}, [500]],
    ['503 with Retry-After', 503, { 'retry-after': '0' }, [0]],
    ['529', 529, {}, [500]],
  ])('%s: it is asked again after a while', async (_, status, headers, waits) => {
    run = await providerRun(keyedMutex(saying(status, errorBody('busy'), headers), whole))
    await run.go()
    expect(await run.house.story()).toEqual([...ASKED, ...RETRIED(1), ...COMPLETED.slice(ASKED.length)])
    expect(run.waits).toEqual(waits)
    expect(await outputOf()).toBe('the whole')
    const [retried] = (await run.house.events()).filter(({ type }) => type === 'step.retried')
    const detail = `The provider could not answer: busy (${status}). Trying again may help.`
    expect(retried).toMatchObject({ step: 1, attempt: 2, code: 'provider_retryable', detail })
    expect(run.server.heard[1]!.body).toBe(run.server.heard[0]!.body)
  })

  it.each([429, 500])('with %i again and again ends the node after three attempts', async status => {
    run = await providerRun(saying(status, errorBody('busy')))
    await run.go()
    expect(await run.house.story()).toEqual([...ASKED, ...RETRIED(2), ...FAILED.slice(ASKED.length)])
    expect([run.waits, run.server.heard.length]).toEqual([[500, 1_000], 3])
    expect(await failureOf()).toMatchObject({ code: 'provider_retryable' })
  })

  it('because nobody is there is asked three times', async () => {
    run = await providerRun(whole)
    await run.server.close()
    await run.go()
    expect(await run.house.story()).toEqual([...ASKED, ...RETRIED(2), ...FAILED.slice(ASKED.length)])
    expect(await failureOf()).toMatchObject({ code: 'provider_retryable', detail: expect.stringContaining('ECONNREFUSED') })
  })
})

describe('an answer that breaks off', () => {
  const BROKEN_OFF = 'The provider could not answer: its answer broke off before its end. Trying again may help.'
  it.each([
    ['by a connection that is reset', raw([FIRST], response => response.destroy()), BROKEN_OFF],
    [
      'by a connection that is reset before its last line',
      raw(streamOf({ pieces: ['half '] }).slice(0, -2), response => response.destroy()),
      BROKEN_OFF,
    ],
    ['in good order, too early', raw([FIRST]), BROKEN_OFF],
    ['in the middle of a chunk', raw([FIRST, FIRST.slice(0, 40)]), BROKEN_OFF],
    ['by silence', raw([FIRST], () => {}), 'The provider could not answer: it sent nothing for 1000 ms. Trying again may help.'],
  ])('%s is not the reply: it is asked again', async (_, answer, detail) => {
    run = await providerRun(keyedMutex(answer, whole), { idleMs: 1_000 })
    await run.go()
    expect(await run.house.story()).toEqual([...ASKED, ...RETRIED(1), ...COMPLETED.slice(ASKED.length)])
    expect(await outputOf()).toBe('the whole')
    expect(shown()).toBe('half the whole')
    const [retried] = (await run.house.events()).filter(({ type }) => type === 'step.retried')
    expect(retried).toMatchObject({ code: 'provider_retryable', detail })
  })

  it('before it has begun is asked again', async () => {
    run = await providerRun(
      keyedMutex(() => undefined, whole),
      { idleMs: 1_000 },
    )
    await run.go()
    expect([await outputOf(), run.server.heard.length]).toEqual(['the whole', 2])
  })

  it('in good order, after it has said why it ends, is whole without its last line', async () => {
    run = await providerRun(raw(streamOf({ pieces: ['whole'] }).slice(0, -1)))
    await run.go()
    expect([await outputOf(), run.server.heard.length]).toEqual(['whole', 1])
  })
})

describe('an answer that does not end', () => {
  it('is ended when its time is over, and that is that', async () => {
    run = await providerRun(
      response => {
        const alive = setInterval(() => response.write(': here\n\n'), 20)
        response.once('close', () => clearInterval(alive)).writeHead(200, { 'content-type': 'text/event-stream' })
        return undefined
      },
      { timeoutMs: 400 },
    )
    await run.go()
    expect(await run.receipts()).toMatchObject([{ status: 'timeout', code: 'adapter_timeout' }])
    expect([await run.house.story(), run.server.heard.length]).toEqual([FAILED, 1])
  })

  it('is ended when it grows too large', async () => {
    const piece = 'x'.repeat(10_000)
    run = await providerRun(raw(streamOf({ pieces: Array.from({ length: 30 }, () => piece) })), { maxReplyBytes: 100_000 })
    await run.go()
    expect(await failureOf()).toMatchObject({ code: 'adapter_error', detail: expect.stringContaining('more than 100000 bytes') })
    expect(run.server.heard).toHaveLength(1)
  })
})

describe('an answer that cannot be read', () => {
  it.each([
    ['a page', saying(200, '<html></html>', { 'content-type': 'text/html' }), 'it sent HTML instead of a stream'],
    [
      'a page without an end',
      response => void response.writeHead(200, { 'content-type': 'text/html' }).write('<html>'),
      'it sent HTML instead of a stream',
    ],
    ['a document that is cut', saying(200, '{"choices":[{"mess'), 'it sent JSON instead of a stream'],
    ['a chunk that is no JSON', raw([FIRST, 'data: {"choices":[\n\n'], () => {}), 'what came is not what this provider is known to send'],
  ])('%s ends the node, and is not quoted', async (_, answer, problem) => {
    run = await providerRun(answer)
    await run.go()
    expect(await failureOf()).toMatchObject({ code: 'adapter_error', detail: expect.stringContaining(problem) })
    expect([await run.house.story(), run.server.heard.length]).toEqual([FAILED, 1])
  })
})

describe('a reply', () => {
  it.each([
    ['length', 'length', 'it reached the limit of tokens'],
    ['content_filter', 'content-filter', 'the provider filtered it'],
  ])('that ended for %s is gone on from, with a warning', async (finish, reason, warning) => {
    run = await providerRun(says({ pieces: ['half a sen'], finish }))
    await run.go()
    expect(await run.receipts()).toMatchObject([{ status: 'ok', finishReason: { reason, raw: finish } }])
    expect(await outputOf()).toBe('half a sen')
    expect(await run.house.story()).toEqual([...ASKED, 'step.settled a', 'log.appended a', 'node.completed a', 'run.completed'])
    const [logged] = (await run.house.events()).filter(({ type }) => type === 'log.appended')
    expect(logged).toMatchObject({ level: 'warn', code: 'reply_cut', message: expect.stringContaining(warning) })
  })

  it.each([
    ['nothing in it', { pieces: [''] }],
    ['blanks in it', { pieces: [' ', '\n'] }],
    ['everything filtered out', { pieces: [], finish: 'content_filter' }],
  ])('with %s ends the node', async (_, said) => {
    run = await providerRun(says(said))
    await run.go()
    expect(await failureOf()).toMatchObject({ code: 'reply_empty' })
    expect([await run.house.story(), run.server.heard.length]).toEqual([FAILED, 1])
    expect(await run.receipts()).toMatchObject([{ status: 'ok' }])
  })
})

const probe = (given: string, name = 'probe', id = 'c1') => ({ id, name, arguments: given })

describe('a tool call', () => {
  it.each([
    ['with arguments that are cut', probe('{"a":'), '"its arguments must be a JSON object"', '"{\\"a\\":"'],
    ['with arguments that are words', probe('please'), '"its arguments must be a JSON object"', '"please"'],
    ['of a tool that there is not', probe('{}', 'nothing'), '"nothing is not in the active catalog"', '{}'],
  ])('%s is refused, and the model is told why', async (_, call, error, given) => {
    run = await providerRun(keyedMutex(says({ toolCalls: [call] }), whole))
    await run.go()
    expect(await run.house.story()).toEqual([
      ...ASKED,
      ...['step.settled a', 'calls.asked a', 'call.judged a', 'call.settled a', 'step.started a'],
      ...COMPLETED.slice(ASKED.length),
    ])
    const calls = [{ id: 'c1', type: 'function', function: { name: call.name, arguments: given } }]
    expect(run.lastTold()).toMatchObject([
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: `{"error":${error}}` },
    ])
  })

  it('under an id that another has runs as well, and each is answered under its own', async () => {
    run = await providerRun(keyedMutex(says({ toolCalls: [probe('{"a":1}'), probe('{"a":2}')] }), whole))
    await run.go()
    const [asked, ...results] = run.lastTold() as unknown as [{ tool_calls: { id: string }[] }, ...{ tool_call_id: string }[]]
    const ids = asked.tool_calls.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(ids)
    expect(run.deltas.map(delta => (delta.kind === 'tool' ? delta.call : null))).toEqual([1, 2, null])
  })
})

describe('a provider that tells our key', () => {
  it.each<[string, Answering]>([
    ['in an error', saying(400, errorBody(`no such key: ${KEY}`), { 'x-echo': KEY, 'retry-after': KEY })],
    ['in an error that is cut there', saying(400, errorBody(`${'a'.repeat(990)}${KEY}`))],
    ['in its status line', response => void response.writeHead(401, `bad ${KEY}`).end()],
    ['in its reply', says({ pieces: ['it is sk-key-', 'of-the-provider'] })],
    ['in a tool call', keyedMutex(says({ toolCalls: [probe(`{"${KEY}":"${KEY}"}`, KEY)] }), whole)],
    ['in the kind of its answer', saying(200, '', { 'content-type': `text/html; ${KEY}` })],
    ['in a stream that cannot be read', raw([FIRST, `data: ${KEY}\n\n`])],
  ])('%s: it is nowhere on record, and nobody sees it', async (_, answer) => {
    run = await providerRun(answer)
    await run.go()
    expect(run.server.heard[0]!.headers.authorization).toBe(`Bearer ${KEY}`)
  })
})

describe('while an answer streams', () => {
  const holding = raw([FIRST], () => {})

  it('a run that is cancelled hangs up', async () => {
    run = await providerRun(holding)
    run.onDelta = () => void run.house.runs.submit(placeOf('r1'), { type: 'cancel', reason: 'enough' })
    expect((await run.go()).phase).toBe('cancelled')
    expect(run.server.heard).toHaveLength(1)
    expect(await run.house.story()).toEqual([...ASKED, 'run.cancelling', 'step.settled a', 'node.cancelled a', 'run.cancelled'])
    expect(await run.receipts()).toMatchObject([{ status: 'cancelled', code: 'call_cancelled' }])
  })

  it('an interrupt hangs up, and is told in the next request; what had come is not', async () => {
    run = await providerRun(keyedMutex(holding, whole))
    const message = writeMessage({ role: 'user', content: [{ type: 'text', text: 'Stop: blue instead.' }] })
    const command = { type: 'leaveMessage', message: { kind: 'interrupt', id: 'i1', message: digestText(message) } } as const
    const interrupt = () =>
      run.house.runs.submit(
        { tenant: TENANT, runId: 'r1', actor: 'ada' },
        { type: 'turn', nodeId: 'a', command },
        { objects: [new TextEncoder().encode(message)] },
      )
    run.onDelta = ({ text }) => void (text === 'half ' && interrupt())
    expect((await run.go()).phase).toBe('completed')
    expect(run.lastTold()).toMatchObject([{ role: 'user', content: 'Stop: blue instead.' }])
    expect(await outputOf()).toBe('the whole')
  })
})

describe('two nodes at once', () => {
  it('of which one fails: the other is hung up, and the run says which', async () => {
    const streaming = gate()
    run = await providerRun((response, heard) => {
      if (heard.body.includes('Build the walls.')) return raw([FIRST], () => {})(response, heard)
      void streaming.passed.then(() => saying(401, errorBody('no'))(response))
      return undefined
    })
    run.onDelta = streaming.open
    const nodes = [
      { id: 'a', objective: 'Build the roof.' },
      { id: 'b', objective: 'Build the walls.' },
    ]
    const { phase, failure, nodes: ended } = await run.go({ id: 'two', objective: 'Build.', nodes })
    expect([phase, failure?.failedNodeId, ended.a!.status, ended.b!.status]).toEqual(['failed', 'a', 'failed', 'cancelled'])
    expect(run.server.heard).toHaveLength(2)
  })
})
