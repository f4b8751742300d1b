// Tests over real HTTP that many requests of one tenant do not delay the work of another.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endedRun, runToEnd } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'

let host: TestHost
let other: TestHost['ask']
beforeAll(async () => {
  host = await startHost({}, { limits: { questionsPerTenant: 2 } })
  const { key } = await host.makeKey('umbrella')
  other = (method, path, more = {}) => host.ask(method, path, { ...more, key })
})
afterAll(() => host.close())

/** A run with this many sequential nodes. */
async function runOf(ask: TestHost['ask'], count: number): Promise<string> {
  const nodes = Array.from({ length: count }, (_, index) => ({ id: `n${index}` }))
  const edges = nodes.slice(1).map(({ id }, index) => ({ from: `n${index}`, to: id }))
  await ask('PUT', `/v1/workflows/w${count}`, { body: { id: `w${count}`, objective: 'Write.', nodes, edges } })
  return (await runToEnd(ask, { workflowId: `w${count}` }))[0]!.runId
}

it('openwop D8: many replay forks of one tenant do not delay the fork of another', async () => {
  const [long, short] = [await runOf(host.ask, 6), await runOf(other, 1)]
  const fork = (ask: TestHost['ask'], runId: string) => ask('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay' } })
  const theirs = await Promise.all(Array.from({ length: 8 }, () => fork(host.ask, long)))
  expect(new Set(theirs.map(({ status }) => status))).toEqual(new Set([201]))
  await endedRun(other, (await fork(other, short)).body.runId)
  const { body } = await host.ask('GET', '/v1/runs?status=running')
  expect(body.items.length).toBeGreaterThan(4)
})

it('reliability D2: a tenant with too many long questions waiting is refused, and another is answered', async () => {
  const [a, b] = [await runOf(host.ask, 6), await runOf(host.ask, 6)]
  const theirs = await runOf(other, 1)
  const asked = Array.from({ length: 12 }, () => host.ask('GET', `/v1/runs/${a}/diff?with=${b}`))
  const answer = await other('GET', `/v1/runs/${theirs}/diff?with=${theirs}`)
  expect(answer.status).toBe(200)
  const answers = await Promise.all(asked)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(3)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers, body } of refused)
    expect([status, headers.get('retry-after'), body.error]).toEqual([429, '1', 'questions_busy'])
  expect((await host.ask('GET', `/v1/runs/${a}/diff?with=${b}`)).status).toBe(200)
})

it('reliability D2: an export that its reader leaves half-read gives its turn back', async () => {
  const runId = await runOf(host.ask, 6)
  const leave = async () => {
    const leaving = new AbortController()
    const answer = await fetch(`${host.url}/v1/runs/${runId}:export`, {
      headers: { authorization: `Bearer ${host.key}` },
      signal: leaving.signal,
    })
    expect(answer.status).toBe(200)
    leaving.abort()
  }
  for (let round = 0; round < 8; round++) await leave()
  const { status, body } = await host.ask('GET', `/v1/runs/${runId}:export`)
  expect([status, body.split('\n').length > 10]).toEqual([200, true])
})

it('openwop D25: two texts of 64 kB that differ in many lines are compared, or said to be too different', async () => {
  const lines = (word: string, changed: number) =>
    Array.from({ length: 1_500 }, (_, n) => (n < changed ? `${word} ${n}` : `the same line ${n}`)).join('\n')
  const versions = { '1.0.0': lines('old', 400), '1.1.0': lines('new', 400), '1.2.0': lines('newest', 1_200) }
  for (const [version, text] of Object.entries(versions)) {
    const body = template('long', { version, text, variables: [] })
    await host.ask(version === '1.0.0' ? 'POST' : 'PUT', version === '1.0.0' ? '/v1/prompts' : '/v1/prompts/long', { body })
  }
  const textsOf = async (to: string) => (await host.ask('GET', `/v1/prompts/long/diff?from=1.0.0&to=${to}`)).body.texts[0]
  expect((await textsOf('1.1.0')).hunks[0].lines.filter((line: string) => line.startsWith('-'))).toHaveLength(400)
  expect(await textsOf('1.2.0')).toMatchObject({ hunks: null, why: 'too_different' })
})
