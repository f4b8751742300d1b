// Tests questions about a run on another machine: by file, imported, and through a host.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { SCOPES } from '../../core/access/keys.ts'
import { runStream } from '../../core/run/events.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { runToEnd } from '../../testing/hosts/host-runs.ts'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { clock } from '../../testing/stores/sqlite-place.ts'
import { exportedBy } from './exported-by.ts'
import { openQuestioned } from './open.ts'

const HISTORY = resolve('fixtures/histories/newsroom.v0.1.jsonl')
const RUN = (JSON.parse(readFileSync(HISTORY, 'utf8').split('\n')[0]!) as { readonly run: string }).run
const folder = mkdtempSync(join(tmpdir(), 'onbook-transfer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const json = async (...args: readonly string[]) => {
  const { code, out } = await runCli([...args, '--json'], { cwd: folder })
  return { code, ...JSON.parse(out) }
}

describe('onbook run import', () => {
  it('keeps a run where it can be looked at and verified, and once is as good as twice', async () => {
    const data = join(folder, 'one')
    for (let time = 0; time < 2; time++) expect(await json('import', HISTORY, '--data', data)).toMatchObject({ code: 0, run: RUN })
    expect(readdirSync(data)).toEqual(['imported'])
    expect(await json('show', RUN, '--data', data)).toMatchObject({ code: 0, status: 'completed' })
    expect(await json('show', RUN, '--data', data, '--node', 'editing')).toMatchObject({ code: 0, nodeId: 'editing' })
    expect(await json('verify', RUN, '--data', data)).toMatchObject({ code: 0, intact: true, breaks: [] })
  })

  it('refuses a file that was changed, and another file for the same run', async () => {
    const [data, changed, broken] = [join(folder, 'two'), join(folder, 'changed.jsonl'), join(folder, 'broken.jsonl')]
    writeFileSync(broken, readFileSync(HISTORY, 'utf8').replace('"actor":"', '"actor":"m'))
    expect(await json('import', broken, '--data', data)).toMatchObject({ code: 2, error: 'run_file_broken' })
    expect(existsSync(data)).toBe(false)
    expect(await json('verify', broken)).toMatchObject({ code: 1, intact: false })
    copyFileSync(HISTORY, changed)
    await json('import', changed, '--data', data)
    writeFileSync(join(data, 'imported', `${RUN}.jsonl`), 'something else')
    expect(await json('import', changed, '--data', data)).toMatchObject({ code: 2, error: 'path_exists' })
  })
})

it('a stray file among the imported runs is listed as broken', async () => {
  const data = join(folder, 'stray')
  mkdirSync(join(data, 'imported'), { recursive: true })
  writeFileSync(join(data, 'imported', '%.jsonl'), '')
  expect(await json('runs', '--data', data)).toMatchObject({ code: 0, runs: [{ runId: '%', status: 'broken' }] })
})

describe('through a host', () => {
  const data = join(folder, 'host')
  let host: TestHost
  let runId: string
  beforeAll(async () => {
    await runCli(['keys', 'create', '--data', data, '--scopes', 'runs:read'])
    host = await startHost({}, { store: sqliteStore(join(data, 'onbook.db'), clock, PRODUCT_PROJECTIONS) })
    await host.ask('PUT', '/v1/workflows/talk', { body: { id: 'talk', objective: 'Talk.', nodes: [{ id: 'a' }] } })
    const events = await runToEnd(host.ask, { workflowId: 'talk' })
    runId = events[0]!.runId
    return () => host.close()
  })

  it('gives the same events as the record does', async () => {
    const stream = runStream(runId)
    const read = async (input: object) => {
      const { store, tenant, runId: found, close } = await openQuestioned({ tenant: 'acme', ...input }, runId)
      const all: string[] = []
      for await (const { bytes } of store.read(tenant, stream, -1)) all.push(Buffer.from(bytes).toString())
      await close()
      return { tenant, found, all }
    }
    const through = await read({ url: host.url, key: host.key })
    expect(through).toEqual(await read({ data }))
    expect(through).toMatchObject({ tenant: 'acme', found: runId })
    expect(through.all.length).toBeGreaterThan(3)
  })

  it('exports what can be verified, and says that the policy is not in it', async () => {
    const file = join(folder, 'run.jsonl')
    const exported = await json('export', runId, '--url', host.url, '--key', host.key, '-o', file)
    expect(exported).toMatchObject({ code: 0, exported: file, run: runId, erased: [], leftOut: [{ stream: 'host/policy' }] })
    expect(await json('verify', file)).toMatchObject({ code: 0, intact: true })
  })

  it.each(['runs:read', 'record:read', 'objects:read'] as const)('needs the scope %s', async scope => {
    const { key } = await host.makeKey(
      'acme',
      SCOPES.filter(one => one !== scope),
    )
    const answer = await host.ask('GET', `/v1/runs/${runId}:export`, { key })
    expect([answer.status, answer.body]).toMatchObject([403, { details: { scope } }])
    const refused = await json('export', runId, '--url', host.url, '--key', key)
    expect(refused).toMatchObject({ code: 2, error: 'host_refused', details: { code: 'forbidden' } })
  })

  it('says so when there is no such run, there or at rest', async () => {
    expect(await json('export', 'nobody', '--url', host.url, '--key', host.key)).toMatchObject({ code: 2, error: 'run_missing' })
    await expect(openQuestioned({ data }, 'nobody')).rejects.toMatchObject({ code: 'run_missing' })
    await expect(openQuestioned({ data }, '../../secret')).rejects.toMatchObject({ code: 'run_missing' })
  })

  it('keeps back what it is asked to, and lists it', async () => {
    const [file, whole] = [join(folder, 'less.jsonl'), join(folder, 'whole.jsonl')]
    await json('export', runId, '--data', data, '--tenant', 'acme', '-o', whole)
    const digest = /\{"digest":"([^"]+)"/.exec(readFileSync(whole, 'utf8'))![1]!
    const less = await json('export', runId, '--data', data, '--tenant', 'acme', '-o', file, '--erase', digest)
    expect(less).toMatchObject({ code: 0, erased: [digest] })
    expect(await json('import', whole, '--data', data)).toMatchObject({ code: 2, error: 'run_exists' })
    const { out, err } = await runCli(['export', runId, '--data', data, '--tenant', 'acme', '--erase', digest], { cwd: folder })
    expect([out === readFileSync(file, 'utf8'), err]).toEqual([true, `left out: the bytes of ${digest}\n`])
  })

  it('refuses to keep back what it cannot', async () => {
    const [other, file] = [`sha256:${'0'.repeat(64)}`, join(folder, 'refused.jsonl')]
    for (const name of [runId, runStream(runId)]) {
      const refused = await json('export', name, '--data', data, '--tenant', 'acme', '-o', file, '--erase', other)
      expect(refused).toMatchObject({ code: 2, error: 'usage_invalid' })
    }
    expect(existsSync(file)).toBe(false)
  })

  it('takes no more of a host than a file may have', async () => {
    const pieces = exportedBy({ url: host.url, key: host.key, timeoutMs: 30_000 }, runId, 100)[Symbol.asyncIterator]()
    await expect(pieces.next()).rejects.toMatchObject({ code: 'file_too_large' })
  })

  it('the run of the record is meant, and not a file of the same name that was imported', async () => {
    mkdirSync(join(data, 'imported'))
    writeFileSync(join(data, 'imported', `${runId}.jsonl`), 'something else')
    const { code, err } = await runCli(['why', runId, '--data', data, '--tenant', 'acme'], { cwd: folder })
    expect([code, err]).toEqual([0, expect.stringContaining(`Run ${runId} was imported too`)])
    rmSync(join(data, 'imported'), { recursive: true })
  })
})
