// Tests the host's log: a failure can be found by its id, and nothing confidential is logged.
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import type { Store } from '../../ports.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { type LogOptions, loggerOf } from './logs.ts'

const BODY_SECRET = 'confidential-body-text'
const QUERY_SECRET = 'confidential-query-text'
const COOKIE_SECRET = 'confidential-cookie-text'

interface Line {
  readonly [name: string]: unknown
}

/** A host whose store fails or is slow when streams are read. */
async function startFailing(
  logs: LogOptions,
): Promise<{ host: TestHost; lines: Line[]; written: () => string; fail: (error: Error | null) => void }> {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  let failure: Error | null = null
  const failing: Store = {
    ...store,
    async *streams(tenant) {
      await new Promise(resume => setTimeout(resume, 60))
      if (failure !== null) throw failure
      yield* store.streams(tenant)
    },
  }
  let text = ''
  const stream = {
    write(line: string) {
      text += line
    },
  }
  const host = await startHost({}, { store: failing, logs: { ...logs, stream } })
  return {
    host,
    get lines() {
      return text
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as Line)
    },
    written: () => text,
    fail: error => {
      failure = error
    },
  }
}

describe('a failure', () => {
  let failing: Awaited<ReturnType<typeof startFailing>>
  beforeAll(async () => {
    failing = await startFailing({ slowMs: 10_000 })
  })
  afterAll(() => failing.host.close())

  it('is answered with an id that stands in the log, and without what went wrong', async () => {
    const { host } = failing
    failing.fail(new Error(`the disk said no to ${host.key}`))
    const { status, body, headers } = await host.ask('GET', '/v1/streams', { headers: { 'x-request-id': 'caller-7' } })
    expect([status, body.error]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(body)).not.toContain('disk')
    expect(headers.get('x-request-id')).toBe(body.details.requestId)
    const line = failing.lines.find(({ requestId }) => requestId === body.details.requestId)
    expect(line).toMatchObject({ level: 'error', method: 'GET', route: '/v1/streams', callerId: 'caller-7', keyId: host.key.slice(7, 23) })
    expect(line?.err).toMatchObject({ type: 'Error', message: 'the disk said no to [key]', stack: expect.stringContaining('at ') })
  })

  it('is logged without a word of what was parsed when that is what failed', async () => {
    failing.fail(new SyntaxError(`Unexpected token in ${BODY_SECRET}`))
    await failing.host.ask('GET', '/v1/streams')
    expect(failing.written()).not.toContain(BODY_SECRET)
    expect(failing.lines.at(-1)?.err).toMatchObject({ type: 'SyntaxError' })
  })

  it('is not made of what a caller does wrong', async () => {
    const before = failing.lines.length
    await failing.host.ask('GET', '/v1/prompts', { key: null })
    await failing.host.ask('POST', '/v1/prompts', { body: '{' })
    await failing.host.ask('GET', '/nothing')
    expect(failing.lines.length).toBe(before)
  })
})

it('takes secrets out of whatever is logged, should anybody ever log them', () => {
  let text = ''
  const stream = {
    write(line: string) {
      text += line
    },
  }
  const { log } = Fastify(loggerOf({ stream }))
  const headers = { authorization: `Bearer ${BODY_SECRET}`, cookie: COOKIE_SECRET, 'set-cookie': COOKIE_SECRET }
  log.error(
    { headers, ...headers, req: { headers, url: `/?token=${QUERY_SECRET}` }, body: BODY_SECRET, key: BODY_SECRET, kept: 'kept' },
    'odd',
  )
  expect(text).toContain('kept')
  expect(text).not.toContain('confidential')
})

it('says which requests were slow', async () => {
  const slow = await startFailing({ slowMs: 50 })
  await slow.host.ask('GET', '/v1/streams')
  await slow.host.ask('GET', '/healthz')
  await slow.host.close()
  const { lines } = slow
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ level: 'warn', msg: 'slow request', route: '/v1/streams', status: 200 })
  expect(lines[0]?.ms).toBeGreaterThanOrEqual(50)
})

it('gives every answer an id of its own', async () => {
  const { host } = await startFailing({})
  const paths = ['/healthz', '/nothing', '/v1/prompts', '/login', '/v1/prompts/%zz']
  const answers = await Promise.all([...paths, ...paths].map(path => fetch(`${host.url}${path}`)))
  const ids = answers.map(({ headers }) => headers.get('x-request-id'))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(new Set(ids).size).toBe(ids.length)
  await host.close()
})

it.each(['debug', 'warn'] as const)('writes no key, cookie, body, query or token at level %s, whatever goes wrong', async level => {
  const failing = await startFailing({ level, slowMs: 0 })
  const { host } = failing
  const headers = { cookie: `onbook_${new URL(host.url).port}=${COOKIE_SECRET}`, 'x-request-id': `Bearer ${host.key}` }
  const wrongKey = host.key.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
  const { token } = (await host.ask('POST', '/v1/login-tokens')).body
  const asking: readonly [string, string, object][] = [
    ['POST', `/v1/prompts?token=${QUERY_SECRET}`, { headers, body: `{"${BODY_SECRET}"` }],
    ['POST', '/v1/prompts', { headers, body: { templateId: BODY_SECRET } }],
    ['GET', `/v1/prompts/${QUERY_SECRET}`, { headers }],
    ['GET', '/v1/prompts', { headers, key: wrongKey }],
    ['GET', '/v1/prompts', { headers, key: null }],
    ['POST', '/v1/sign-in', { headers, body: { token } }],
    ['POST', '/v1/sign-in', { headers, body: { token: BODY_SECRET } }],
    ['GET', `/nothing?key=${QUERY_SECRET}`, { headers }],
    ['GET', `/v1/streams?limit=${QUERY_SECRET}`, { headers }],
  ]
  const statuses: number[] = []
  for (const [method, path, given] of asking) statuses.push((await host.ask(method, path, given)).status)
  failing.fail(new Error('no'))
  statuses.push((await host.ask('GET', '/v1/streams', { headers })).status)
  await host.close()
  expect(new Set(statuses)).toEqual(new Set([400, 404, 401, 200, 500]))
  const written = failing.written()
  expect(written).toContain('slow request')
  expect(written).toContain('request failed')
  for (const secret of [host.key, host.key.slice(24), wrongKey.slice(24), token, BODY_SECRET, QUERY_SECRET, COOKIE_SECRET])
    expect(written).not.toContain(secret)
})
