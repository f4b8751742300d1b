// Tests which version is active, over HTTP: a host serves the folder of a new user while packs are published, activated and retired.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../../engine/record/projections.ts'
import { endedRun, startRun } from '../../../testing/hosts/host-runs.ts'
import { runCli, temporaryFolder } from '../../../testing/hosts/run-cli.ts'
import { type Asking, startHost, type TestHost } from '../../../testing/hosts/start-host.ts'
import { testSessions } from '../../../testing/hosts/test-sessions.ts'
import { clock } from '../../../testing/stores/sqlite-place.ts'

const REPLY = 'replies:\n  - match: {}\n    text: \'{"summary":"Trams run.","keyPoints":[]}\'\n'

let cwd: string
let host: TestHost
let key: string
const ask = (method: string, path: string, asking: Asking = {}) => host.ask(method, path, { key, ...asking })
const onbook = async (...args: readonly string[]) => {
  const { code, out, err } = await runCli(args, { cwd })
  expect([code, err], args.join(' ')).toEqual([0, ''])
  return out
}
/** The version that the next run gets, and the rule that chose it. */
const versionOfNextRun = async () => {
  const runId = await startRun(ask, { workflowId: 'brief', inputs: { title: 'Trams', body: 'They run.' } })
  await endedRun(ask, runId)
  const { items } = (await ask('GET', `/v1/runs/${runId}/why?kind=system`)).body
  const { source, meant, label } = items[0].chain.find(({ applied }: { applied: boolean }) => applied)
  return { source, meant, moves: label?.moves.map(({ to }: { to: string }) => to) }
}
const meantBy = (version: string, ...moves: readonly string[]) => ({ source: `prompt:summarizer@${version}`, meant: 'active', moves })
const active = async () => (await ask('GET', '/v1/labels/summarizer')).body.labels

beforeAll(async () => {
  cwd = temporaryFolder(null)
  await onbook('init', 'desk')
  cwd = join(cwd, 'desk')
  await onbook('publish')
  const store = sqliteStore(join(cwd, '.onbook/onbook.db'), clock, PRODUCT_PROJECTIONS)
  host = await startHost({}, { store, sessions: testSessions(store, REPLY) })
  key = (await host.makeKey('default')).key
  const nodes = [{ id: 'a', config: { systemPromptRef: 'prompt:summarizer' } }]
  const made = await ask('PUT', '/v1/workflows/brief', { body: { id: 'brief', objective: 'Summarise.', nodes } })
  expect(made.status).toBeLessThan(300)
})
afterAll(() => host.close())

describe('the active version, over HTTP', () => {
  it('is the first one that is published', async () => {
    expect(await versionOfNextRun()).toEqual(meantBy('1.0.0', '1.0.0'))
  })

  it('stays when a newer one is published', async () => {
    await onbook('bump', 'summarizer', 'minor')
    await onbook('publish')
    expect(await versionOfNextRun()).toEqual(meantBy('1.0.0', '1.0.0'))
  })

  it('changes with activate, and goes back in one command', async () => {
    await onbook('activate', 'summarizer', '1.1.0')
    expect(await versionOfNextRun()).toEqual(meantBy('1.1.0', '1.0.0', '1.1.0'))
    await onbook('activate', 'summarizer', '--back')
    expect(await versionOfNextRun()).toEqual(meantBy('1.0.0', '1.0.0', '1.1.0', '1.0.0'))
  })

  it('is never a retired one, and moves with the label', async () => {
    const move = (version: string) => ask('PUT', '/v1/labels/summarizer/active', { body: { version } })
    await onbook('retire', 'summarizer', '1.1.0')
    const refused = await move('1.1.0')
    expect([refused.status >= 400, refused.body.message]).toEqual([true, expect.stringContaining('is retired')])
    expect(JSON.stringify(await active())).toContain('1.0.0')
    await onbook('bump', 'summarizer@1.0.0', 'patch')
    await onbook('publish')
    expect(await versionOfNextRun()).toMatchObject({ source: 'prompt:summarizer@1.0.0' })
    expect((await move('1.0.1')).status).toBe(200)
    expect(await versionOfNextRun()).toMatchObject({ source: 'prompt:summarizer@1.0.1', meant: 'active' })
  })
})
