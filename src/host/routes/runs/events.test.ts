// Tests the events of a run over HTTP: polled, or followed until the run ends, by readers that disconnect and resume.
import { EventSource } from 'eventsource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import { endedRun, runIs, startRun } from '../../../testing/hosts/host-runs.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { type TestSessions, testSessions } from '../../../testing/hosts/test-sessions.ts'
import { checkedAsk } from '../../../testing/oracles/check-answer.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import type { RunEventDoc } from '../../../wire/openwop/run-event.ts'

const SCRIPT = 'replies:\n  - match: { last: slowly }\n    deltas: [Not, " so ", fast.]\n  - match: {}\n    text: Noted.\n'

let host: TestHost
let ask: TestHost['ask']
let sessions: TestSessions
beforeAll(async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  sessions = testSessions(store, SCRIPT)
  host = await startHost({}, { store, sessions, limits: { streamKeepAliveMs: 100 } })
  ask = await checkedAsk(host)
  for (const orchestration of ['auto', 'interactive'])
    await ask('PUT', `/v1/workflows/${orchestration}`, {
      body: { id: orchestration, objective: 'Say something.', orchestration, nodes: [{ id: 'writer' }] },
    })
})
afterAll(async () => {
  await sessions.close()
  await host.close()
})

interface Sent {
  readonly id: string | null
  readonly type: string
  readonly data: string
}

const ended = async () => {
  const runId = await startRun(ask, { workflowId: 'auto' })
  return { runId, events: await endedRun(ask, runId) }
}
const waiting = async () => {
  const runId = await startRun(ask, { workflowId: 'interactive' })
  await runIs(ask, runId, 'waiting-input')
  return runId
}
const open = (runId: string, query = '', headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${host.url}/v1/runs/${runId}/events${query}`, {
    headers: { authorization: `Bearer ${host.key}`, ...headers },
    ...(signal === undefined ? {} : { signal }),
  })
const sentIn = (text: string): readonly Sent[] =>
  text
    .split('\n\n')
    .filter(piece => /^event:/m.test(piece))
    .map(piece => ({
      id: /^id: (.*)$/m.exec(piece)?.[1] ?? null,
      type: /^event: (.*)$/m.exec(piece)![1]!,
      data: /^data: (.*)$/m.exec(piece)![1]!,
    }))
/** Reads until the host ends the stream. */
const whole = async (runId: string, query = '', headers: Record<string, string> = {}) =>
  sentIn(await (await open(runId, query, headers)).text())
const sequences = (events: readonly { readonly sequence: number }[]) => events.map(({ sequence }) => sequence)

describe('GET /v1/runs/{runId}/events/poll', () => {
  it('gives what came after a sequence, loses nothing, and says when that was all', async () => {
    const { runId, events } = await ended()
    expect(sequences(events)).toEqual(events.map((_, index) => index))
    const poll = async (query: string) => (await ask('GET', `/v1/runs/${runId}/events/poll${query}`)).body
    expect(sequences((await poll('?lastSequence=-1')).events)[0]).toBe(0)
    expect(sequences((await poll('?lastSequence=0')).events)[0]).toBe(1)
    const last = events.length - 1
    expect(await poll(`?lastSequence=${last}`)).toEqual({ events: [], isComplete: true })
    expect(await poll('?lastSequence=99999')).toEqual({ events: [], isComplete: true })
    const page = await poll('?limit=3')
    expect([sequences(page.events), page.isComplete]).toEqual([[0, 1, 2], false])
    expect((await ask('GET', `/v1/runs/${runId}/events/poll?lastSequence=x`)).status).toBe(400)
  })

  it('is not complete while a run goes on', async () => {
    const runId = await waiting()
    expect((await ask('GET', `/v1/runs/${runId}/events/poll`)).body.isComplete).toBe(false)
  })
})

describe('GET /v1/runs/{runId}/events', () => {
  it('sends every event with its id and type as it comes, and ends with the run', async () => {
    const runId = await waiting()
    const reading = whole(runId, '?streamMode=debug')
    await ask('POST', `/v1/runs/${runId}/cancel`, { body: {} })
    const sent = (await reading).filter(({ id }) => id !== null)
    const events = await endedRun(ask, runId)
    expect(sent.map(({ data }) => JSON.parse(data))).toEqual(events)
    expect(sent.map(({ id, type }) => [id, type])).toEqual(events.map(({ sequence, type }) => [String(sequence), type]))
    expect(sent.at(-1)!.type).toBe('run.cancelled')
  })

  it('openwop D14: goes on after Last-Event-ID, and has an empty stream for a reader that has seen the last event', async () => {
    const { runId, events } = await ended()
    const last = events.at(-1)!.sequence
    const rest = await whole(runId, '?streamMode=debug', { 'last-event-id': '2' })
    expect(rest.map(({ id }) => Number(id))).toEqual(sequences(events).slice(3))
    expect((await whole(runId, '?streamMode=debug&lastSequence=2')).length).toBe(rest.length)
    const reopened = await open(runId, '', { 'last-event-id': String(last) })
    expect([reopened.status, await reopened.text()]).toEqual([200, expect.stringContaining(`id: ${last}-end`)])
    expect((await open(runId, '', { 'last-event-id': `${last}-end` })).status).toBe(204)
    for (const id of ['x', String(last + 1)]) expect((await open(runId, '', { 'last-event-id': id })).status).toBe(400)
  })

  it('is followed by the stock EventSource over a break, with nothing twice and nothing left out', async () => {
    const runId = await waiting()
    const seen: RunEventDoc[] = []
    let connections = 0
    const source = new EventSource(`${host.url}/v1/runs/${runId}/events?streamMode=debug`, {
      // Cuts the first connection in the middle.
      fetch: async (url, init) => {
        const first = connections++ === 0
        const answer = await fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${host.key}` } })
        if (!first) return answer
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
        void (async () => {
          const [reader, writer] = [answer.body!.getReader(), writable.getWriter()]
          const { value } = await reader.read()
          await writer.write(value!)
          const { value: more } = await reader.read()
          if (more !== undefined) await writer.write(more)
          await reader.cancel()
          await writer.close()
        })()
        return new Response(readable, answer)
      },
    })
    const types = ['run.started', 'node.started', 'agent.promptResolved', 'onbook.step.started', 'onbook.step.settled']
    for (const type of [...types, 'onbook.node.waiting', 'onbook.run.cancelling', 'onbook.node.cancelled', 'run.cancelled'])
      source.addEventListener(type, ({ data }) => void seen.push(JSON.parse(data)))
    await new Promise(resume => setTimeout(resume, 200))
    await ask('POST', `/v1/runs/${runId}/cancel`, { body: {} })
    const events = await endedRun(ask, runId)
    await expect.poll(() => seen.length, { timeout: 15_000 }).toBe(events.length)
    expect(connections).toBeGreaterThanOrEqual(2)
    source.close()
    expect(seen).toEqual(events)
  })

  it('openwop D13: shows what the mode asks for; types of our own are in debug and onbook alone', async () => {
    const { runId, events } = await ended()
    const of = async (query: string) => (await whole(runId, query)).map(({ type }) => type)
    expect(await of('')).toEqual(['run.started', 'node.completed', 'run.completed'])
    expect(await of('?streamMode=messages')).toEqual([])
    expect(await of('?streamMode=updates,messages')).toHaveLength(3)
    for (const mode of ['debug', 'onbook']) expect(await of(`?streamMode=${mode}`)).toEqual(events.map(({ type }) => type))
  })

  it('openwop D13: sends the whole run as state.snapshot after each change in the mode values', async () => {
    const runId = await waiting()
    const reading = whole(runId, '?streamMode=values')
    await new Promise(resume => setTimeout(resume, 100))
    await ask('POST', `/v1/runs/${runId}/mode`, { body: { mode: 'planning' } })
    await new Promise(resume => setTimeout(resume, 100))
    await ask('POST', `/v1/runs/${runId}/cancel`, { body: {} })
    const values = (await reading).map(({ type, data }) => ({ type, ...JSON.parse(data) }))
    expect(new Set(values.map(({ type }) => type))).toEqual(new Set(['state.snapshot']))
    const last = values.map(({ lastSequence }) => lastSequence)
    expect(last).toEqual([...new Set(last)].sort((a, b) => a - b))
    expect(values.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1])).toEqual(
      expect.arrayContaining(['waiting-input', 'cancelled']),
    )
    expect(values.some(({ mode }) => mode === 'planning')).toBe(true)
    expect(values.at(-1)).toEqual({ type: 'state.snapshot', ...(await ask('GET', `/v1/runs/${runId}`)).body })
  })

  it.each(['bogus', 'values,updates', '', 'updates,', 'Updates'])('refuses the mode "%s", and says which there are', async mode => {
    const { runId } = await ended()
    expect(await ask('GET', `/v1/runs/${runId}/events?streamMode=${mode}`)).toMatchObject({
      status: 400,
      body: { error: 'unsupported_stream_mode', details: { supported: ['values', 'updates', 'messages', 'debug', 'onbook'] } },
    })
  })

  it('sends what comes within bufferMs together, and can be resumed from there', async () => {
    const { runId, events } = await ended()
    const batches = await whole(runId, '?streamMode=debug&bufferMs=5000')
    expect(batches.map(({ type }) => type)).toEqual(['batch'])
    expect(JSON.parse(batches[0]!.data)).toEqual(events)
    expect(batches[0]!.id).toBe(String(events.at(-1)!.sequence))
    expect((await ask('GET', `/v1/runs/${runId}/events?bufferMs=5001`)).status).toBe(400)
    const going = await waiting()
    const stop = new AbortController()
    const answer = await open(going, '?bufferMs=20', {}, stop.signal)
    for await (const chunk of answer.body!) if (new TextDecoder().decode(chunk as Uint8Array).includes('event: batch')) break
    stop.abort()
  })

  it('openwop D13: passes on pieces of replies as ai.message.chunk to who asks for messages, without an id', async () => {
    const runId = await waiting()
    const queries = ['?streamMode=messages', '?streamMode=onbook', '']
    const [messages, ours, updates] = (await Promise.all(queries.map(query => open(runId, query)))).map(async answer =>
      sentIn(await answer.text()),
    )
    await ask('POST', `/v1/runs/${runId}/nodes/writer/messages`, { body: { kind: 'follow-up', message: 'Say it slowly' } })
    await runIs(ask, runId, 'waiting-input')
    await ask('POST', `/v1/runs/${runId}/cancel`, { body: {} })
    const heard = await messages!
    expect(new Set(heard.map(({ id, type }) => `${id} ${type}`))).toEqual(new Set(['null ai.message.chunk']))
    expect(heard.map(({ data }) => JSON.parse(data))).toEqual([
      ...['Not', ' so ', 'fast.'].map(chunk => ({ runId, nodeId: 'writer', chunk, isLast: false })),
      { runId, nodeId: 'writer', chunk: '', isLast: true },
    ])
    expect((await ours!).filter(({ type }) => type === 'onbook.message.chunk').map(({ data }) => JSON.parse(data))).toEqual(
      ['Not', ' so ', 'fast.'].map(text => ({ runId, nodeId: 'writer', kind: 'text', text })),
    )
    expect((await updates!).some(({ type }) => type.endsWith('message.chunk'))).toBe(false)
  })

  it('passes on nothing that a lasting session says for somebody else', async () => {
    const nodes = [
      { id: 'writer', session: 'desk' },
      { id: 'editor', orchestration: 'interactive' },
    ]
    const workflow = { id: 'lasting', objective: 'Say it slowly', nodes, edges: [{ from: 'writer', to: 'editor' }] }
    await ask('PUT', '/v1/workflows/lasting', { body: workflow })
    const first = await startRun(ask, { workflowId: 'lasting' })
    await runIs(ask, first, 'waiting-input')
    const reading = (await open(first, '?streamMode=messages')).text()
    const second = await startRun(ask, { workflowId: 'lasting' })
    const own = (await open(second, '?streamMode=messages')).text()
    await runIs(ask, second, 'waiting-input')
    for (const runId of [first, second]) await ask('POST', `/v1/runs/${runId}/cancel`)
    const heard = (text: string) => sentIn(text).flatMap(({ type, data }) => (type === 'ai.message.chunk' ? [JSON.parse(data)] : []))
    expect(heard(await reading)).toEqual([])
    expect(heard(await own).every(({ runId }) => runId === second)).toBe(true)
  })

  it('says that it lives when nothing happens', async () => {
    const stop = new AbortController()
    const answer = await open(await waiting(), '', {}, stop.signal)
    let text = ''
    for await (const chunk of answer.body!) {
      text += new TextDecoder().decode(chunk as Uint8Array)
      if ((text.match(/^: /gm) ?? []).length >= 2) break
    }
    stop.abort()
  })

  it('shows another tenant no run of ours', async () => {
    const { runId } = await ended()
    const { key } = await host.makeKey('umbrella')
    for (const path of ['', '/events', '/events/poll', '/prompts', '/prompts/writer/1'])
      expect((await ask('GET', `/v1/runs/${runId}${path}`, { key })).body.error).toBe('run_missing')
  })
})
