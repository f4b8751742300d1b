// Secrets that are entrusted in every way, and told in every way: afterwards they are in no file, no answer and no line of output. What is no secret is there.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { QUESTION_COMMANDS } from './cli/commands/question.ts'
import { type LeakyHost, leakyHost, plantedOf, trustedValues } from './testing/secrets/leaky-host.ts'
import { filesIn, foundIn, type Place, plantedValue, rowsIn } from './testing/secrets/planted.ts'
import { answerApproval, endOf, publishAll, startTold, tellingProvider } from './testing/secrets/told-everything.ts'

const trusted = trustedValues()
const canary = plantedValue('-')
const SECRETS = plantedOf(trusted)
const CANARY = [{ name: 'canary', value: canary }]
const NOTE = `${canary} ${trusted.slot} ${trusted.environment}`
const NODES = { told: 'caller', agents: 'teller', failing: 'failing', refused: 'refused', broken: 'broken', asked: 'writer' } as const
type Told = keyof typeof NODES

let host: LeakyHost
const runs = new Map<Told, string>()
const run = (told: Told): string => runs.get(told)!
const ends: Record<string, string> = {}
/** What lay there right after the host was killed in the middle of a call. */
let leftBehind: readonly Place[]

/** Secrets are kept in one file on purpose; and beside it lies what the repo held, file by file (docs/guide/changes.md). */
const kept = (): readonly Place[] => [
  ...filesIn(host.data, path => path === 'secrets.json' || path.startsWith('changes/')),
  ...filesIn(host.temporary),
  ...rowsIn(join(host.data, 'onbook.db')),
]

beforeAll(async () => {
  host = await leakyHost(trusted, canary, tellingProvider(trusted, canary))
  await host.cli('tools', 'adopt', 'leaky')
  await host.start()
  await publishAll(host, canary)
  for (const told of Object.keys(NODES) as Told[]) runs.set(told, await startTold(host, told))
  const changed = { decision: 'approved', note: NOTE, arguments: { path: 'a.txt', content: trusted.slot } }
  ends.changed = String((await answerApproval(host, run('asked'), changed)).status)
  await answerApproval(host, run('asked'), { decision: 'approved', note: NOTE })
  await answerApproval(host, run('asked'), { decision: 'denied', note: NOTE })
  for (const [told, runId] of runs) ends[told] = await endOf(host, runId)
  await askHost()

  const silent = await startTold(host, 'silent')
  await streamed(silent)
  await host.stop('SIGKILL')
  leftBehind = [...filesIn(host.data, path => path === 'secrets.json' || path.startsWith('changes/')), ...filesIn(host.temporary)]

  await askAtRest()
  // Whoever comes next takes it up, and is told to stop.
  await host.start()
  await host.ask('POST', `/v1/runs/${silent}/cancel`, { reason: NOTE })
  ends.silent = await endOf(host, silent)
  await host.stop()
})
afterAll(() => host.close())

/** Until something of the answer was passed on. */
async function streamed(runId: string): Promise<void> {
  while (host.provider.open() === 0) await new Promise(resume => setTimeout(resume, 20))
  await host.ask('GET', `/v1/runs/${runId}/events/poll`)
}

async function askHost(): Promise<void> {
  for (const [told, runId] of runs) {
    const path = `/v1/runs/${runId}`
    for (const more of [
      '/events/poll',
      `/prompts/${NODES[told]}/1`,
      '/why',
      '/blame',
      '/prefix',
      '/replay',
      `/diff?with=${run('asked')}`,
      ':export',
    ])
      await host.ask('GET', `${path}${more}`)
    for (const more of ['', '/events', '/transcript', '?dialect=aos', '/events?dialect=aos'])
      await host.ask('GET', `/v1/sessions/${NODES[told]}${more}`)
    await host.ask('GET', `/v1/streams/${encodeURIComponent(`session/${NODES[told]}`)}/events`)
    await host.ask('GET', `/v1/runs/${runId}/nobody/${encodeURIComponent(canary)}`)
  }
  for (const path of ['/metrics', '/v1/runs', '/v1/streams', '/v1/tools', '/v1/policy', '/v1/openapi.json', '/.well-known/openwop'])
    await host.ask('GET', path)
  await host.ask('POST', '/v1/prompts:render', { ref: 'prompt:speaker@1.0.0', variables: { apiKey: '[REDACTED:slot]' } })
  await host.ask('POST', '/v1/prompts:render', { ref: 'prompt:speaker@1.0.0', variables: { apiKey: 7, nobody: canary } })
  await host.ask('POST', '/v1/runs', { workflowId: canary, inputs: { nobody: canary } })
  for (const list of ['runs', 'tools', 'approvals', 'sessions'])
    await host.cli(...(list === 'sessions' ? ['sessions', 'list'] : [list]), '--json')
}

/** With the record at rest: a process for each question. */
async function askAtRest(): Promise<void> {
  for (const [told, runId] of runs) {
    await host.cli('export', runId, '--output', `${told}.jsonl`)
    for (const args of [
      ['show', runId],
      ['show', runId, '--json'],
      ['show', runId, '--node', NODES[told], '--step', '1'],
    ])
      await host.cli(...args)
    await host.cli('import', `${told}.jsonl`, '--data', 'elsewhere')
    await host.cli('show', runId, '--data', 'elsewhere')
    await host.cli('verify', `${told}.jsonl`)
  }
  const [told, asked] = [run('told'), run('asked')]
  for (const { name, arguments: asks = [] } of QUESTION_COMMANDS) {
    const refs = asks.length > 1 ? [told, asked] : [told]
    for (const more of [[], ['--json']]) await host.cli(...name.split(' '), ...refs, ...more)
    await host.cli(...name.split(' '), ...(asks.length > 1 ? ['told.jsonl', 'asked.jsonl'] : ['told.jsonl']))
  }
  await host.cli('show', told, '--node', 'caller', '--step', '1', '--diff')
  await host.cli('sessions', 'transcript', 'caller')
  await host.cli('events', `run/${told}`)
  await host.cli('run', 'flow.yaml', '--repo', 'repo', '--watch')
  await host.cli('backup', 'copy.db')
  await host.cli('verify')
}

const missing = (places: readonly Place[], ...wanted: readonly string[]) => {
  const found = foundIn(places, CANARY)
  return wanted.filter(where => !found.some(one => one.includes(where)))
}

it('the runs went as they were meant to', () => {
  expect(ends).toEqual({
    told: 'completed',
    agents: 'completed',
    failing: 'failed',
    refused: 'failed',
    broken: 'failed',
    asked: 'completed',
    silent: 'cancelled',
    // They would be kept.
    changed: '422',
  })
})

describe('no secret', () => {
  it('is in the folder of the record, nor in any temporary file', () => {
    expect(foundIn(kept(), SECRETS)).toEqual([])
    expect(foundIn(leftBehind, SECRETS)).toEqual([])
  })

  it('is in an answer, a stream, a page, a log line or a metric', () => expect(foundIn(host.said, SECRETS)).toEqual([]))

  it('is in a run file, a copy or a backup', () => {
    const files = filesIn(host.folder, path => !/^(elsewhere\/.*|[^/]+\.jsonl|copy\.db)$/.test(path))
    expect(files.length).toBeGreaterThan(12)
    expect(foundIn(files, SECRETS)).toEqual([])
    expect(missing(files, 'told.jsonl', 'asked.jsonl', 'agents.jsonl', 'copy.db', 'elsewhere/imported')).toEqual([])
  })
})

it('what is no secret is wherever secrets would have been', () => {
  expect(missing(kept(), 'onbook.db', 'table objects', 'table events')).toEqual([])
  expect(missing(leftBehind, 'onbook.db')).toEqual([])
  const said = ['GET /v1/approvals', 'stream /v1/runs/', ':export', '/events/poll', '/transcript', '/prompts/caller/1', 'prompts:render']
  const shown = [...runs.values()].map(runId => `onbook show ${runId}`)
  expect(
    missing(host.said, ...said, ...shown, 'onbook blame', 'onbook events', 'onbook sessions transcript', '--diff', 'onbook run'),
  ).toEqual([])
})

it('the repo held them all, and so does what the host keeps of it', () => {
  expect(foundIn(filesIn(join(host.folder, 'repo')), SECRETS).length).toBeGreaterThan(0)
  expect(existsSync(join(host.data, 'changes'))).toBe(true)
  expect(readdirSync(host.temporary).filter(name => name.startsWith('onbook-home-'))).toEqual([])
})
