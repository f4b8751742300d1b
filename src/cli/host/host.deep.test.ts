// Tests the host as a process: started from the command line on a folder, until it is stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const BIN = resolve('bin/onbook.mjs')
const fresh = () => mkdtempSync(join(tmpdir(), 'onbook-host-'))
const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

interface Running {
  readonly url: string
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly get: (path: string, key?: string) => Promise<Response>
}

async function serve(folder: string, ...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const ended = new Promise<number | null>(done => child.once('close', done))
  const line = await new Promise<string>(resolve => child.stdout!.once('data', data => resolve(String(data))))
  const { url, pid } = JSON.parse(line) as { url: string; pid: number }
  expect(pid).toBe(child.pid)
  const local = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
  const get = (path: string, key = local) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  return { url, child, ended, get }
}

describe('onbook host serve', () => {
  it('says where it is, answers on this machine only, and seals the record when it is told to stop', async () => {
    const folder = fresh()
    const { url, child, ended, get } = await serve(folder)
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(statSync(join(folder, '.onbook', 'local.key')).mode & 0o777).toBe(0o600)
    expect((await get('/v1/prompts')).status).toBe(200)
    expect((await get('/v1/prompts', 'onbook_0_0')).status).toBe(401)
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ ok: true })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const { unsealed, intact } = JSON.parse((await runCli(['verify', '--json'], { cwd: folder })).out) as {
      unsealed: number
      intact: boolean
    }
    expect({ unsealed, intact }).toEqual({ unsealed: 0, intact: true })
  })

  it('is set by a file, advertises what it is set to, and keeps every change on record', async () => {
    const folder = temporaryFolder('scaffold')
    await runCli(['publish', '--tenant', 'onbook'], { cwd: folder })
    writeFileSync(join(folder, 'onbook.host.yaml'), 'agentBindings: false\nhostDefaults: { system: "prompt:summarizer@1.0.0" }\n')
    const { url, child, ended } = await serve(folder)
    const advertised = (await (await fetch(`${url}/.well-known/openwop`)).json()) as { prompts: object }
    expect(advertised.prompts).toMatchObject({ agentBindings: false, defaults: { system: 'prompt:summarizer@1.0.0' } })
    child.kill('SIGTERM')
    await ended
    const { out } = await runCli(['events', 'host/config', '--tenant', 'onbook', '--json'], { cwd: folder })
    expect(JSON.parse(out)).toMatchObject({
      type: 'host.configured',
      payload: {
        changes: [
          { setting: 'agentBindings', from: true, to: false },
          { setting: 'hostDefaults.system', from: null, to: 'prompt:summarizer@1.0.0' },
        ],
      },
    })
    writeFileSync(join(folder, 'onbook.host.yaml'), 'agentBinding: false\n')
    const wrong = await runCli(['serve', '--port', '0'], { cwd: folder })
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('line 1, column')])
  })

  it('openwop D16: does not start on a default that its own library does not have, whatever a tenant has', async () => {
    const folder = temporaryFolder('scaffold')
    await runCli(['publish'], { cwd: folder })
    writeFileSync(join(folder, 'onbook.host.yaml'), 'hostDefaults: { system: "prompt:summarizer@1.0.0" }\n')
    const refused = await runCli(['serve', '--port', '0'], { cwd: folder })
    expect(refused.code).not.toBe(0)
    expect(refused.err).toMatch(/hostDefaults\.system.*prompt:summarizer@1\.0\.0.*onbook publish <folder> --tenant onbook/)
    await runCli(['publish', '--tenant', 'onbook'], { cwd: folder })
    const { child, ended } = await serve(folder)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('takes its limits from the file, an option before that, and both are on record', async () => {
    const folder = fresh()
    writeFileSync(join(folder, 'onbook.host.yaml'), 'limits: { requestsPerMinute: 1, failuresPerMinute: 2 }\n')
    const { child, ended, get } = await serve(folder, '--requests-per-minute', '3')
    const statuses = async (key?: string) => [await get('/v1/prompts', key), await get('/v1/prompts', key), await get('/v1/prompts', key)]
    expect((await statuses()).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await get('/v1/prompts')).status).toBe(429)
    expect((await statuses('onbook_0_0')).map(({ status }) => status)).toEqual([401, 401, 429])
    child.kill('SIGTERM')
    await ended
    const { out } = await runCli(['events', 'host/config', '--tenant', 'onbook', '--json'], { cwd: folder })
    expect((JSON.parse(out) as { payload: { changes: object } }).payload.changes).toEqual([
      { setting: 'limits.failuresPerMinute', from: 60, to: 2 },
      { setting: 'limits.requestsPerMinute', from: 300_000, to: 3 },
    ])
  })

  it('is refused names and pages that are not its own', async () => {
    const { url } = await serve(fresh())
    const foreign = await fetch(`${url}/healthz`, { headers: { origin: 'http://elsewhere.example' } })
    expect([foreign.status, ((await foreign.json()) as { error: string }).error]).toEqual([403, 'origin_foreign'])
  })

  it('answers the conformance suite only when it is asked to', async () => {
    const fixtures: unknown[] = []
    const call = async (...args: string[]) => {
      const folder = fresh()
      const { url, get } = await serve(folder, ...args)
      const advertised = (await (await fetch(`${url}/.well-known/openwop`)).json()) as { fixtures: string[] }
      for (const id of advertised.fixtures) fixtures.push(await (await get(`/v1/workflows/${id}`)).json())
      const key = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
      return fetch(`${url}/v1/host/sample/prompt/compose`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          templateId: 'conformance.prompt.trust-marker',
          bindings: { userPayload: 'x' },
          bindingTrust: { userPayload: 'untrusted' },
        }),
      })
    }
    expect((await call()).status).toBe(404)
    expect(fixtures).toEqual([])
    const answered = await call('--test-seams')
    expect(fixtures).toMatchObject([{ id: 'conformance-prompt-end-to-end' }, { id: 'conformance-prompt-all-four-kinds' }])
    expect(await answered.json()).toMatchObject({ composed: 'Summarise this: <UNTRUSTED>x</UNTRUSTED>', contentTrust: 'untrusted' })
  })

  it('sees keys that are made and revoked while it runs', async () => {
    const folder = fresh()
    const { get } = await serve(folder)
    const { id, key } = JSON.parse(
      (await runCli(['keys', 'create', '--tenant', 'acme', '--scopes', 'prompts:read', '--json'], { cwd: folder })).out,
    ) as {
      id: string
      key: string
    }
    expect((await get('/v1/prompts', key)).status).toBe(200)
    expect((await runCli(['keys', 'list'], { cwd: folder })).out).toContain(id)
    expect((await runCli(['keys', 'list', '--json'], { cwd: folder })).out).not.toContain('secretHash')
    await runCli(['keys', 'revoke', id], { cwd: folder })
    expect((await get('/v1/prompts', key)).status).toBe(401)
  })

  it('says so when its port is taken', async () => {
    const { url } = await serve(fresh())
    const { code, err } = await runCli(['serve', '--port', new URL(url).port], { cwd: fresh() })
    expect([code, err]).toEqual([2, expect.stringContaining('is taken')])
  })
})

describe('onbook key', () => {
  const cases: readonly [string, readonly string[], string][] = [
    ['an unknown scope', ['create', '--scopes', 'everything'], 'a scope must be one of'],
    ['an unknown action', ['make'], 'Verbs: create, list, revoke, login'],
    ['a date that is none', ['create', '--expires', 'soon'], '--expires must be a date'],
    ['a date that has gone by', ['create', '--expires', '2020-01-01'], '--expires must be a date to come'],
    ['the tenant of the host', ['create', '--tenant', 'onbook'], 'no key belongs to it'],
  ]
  it.each(cases)('refuses %s', async (_, args, message) => {
    const { code, err } = await runCli(['keys', ...args], { cwd: fresh() })
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  it('lists those of the tenant that is named, and says that one is not there', async () => {
    const cwd = fresh()
    for (const tenant of ['acme', 'other']) await runCli(['keys', 'create', '--tenant', tenant], { cwd })
    const tenants = async (...more: readonly string[]) =>
      (JSON.parse((await runCli(['keys', 'list', '--json', ...more], { cwd })).out) as { keys: { tenant: string }[] }).keys.map(
        ({ tenant }) => tenant,
      )
    expect(await tenants()).toEqual(['acme', 'other'])
    expect(await tenants('--tenant', 'other')).toEqual(['other'])
    expect(await runCli(['keys', 'revoke', '0000000000000000'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no key'),
    })
  })
})

it.each([
  ['keys', 'list'],
  ['keys', 'revoke', '0000000000000000'],
  ['label', 'writer'],
  ['label', 'writer', 'live', '1.0.0'],
])('onbook %s %s makes no record where there is none', async (...args) => {
  const cwd = fresh()
  const { code, err } = await runCli(args, { cwd })
  expect([code, err, readdirSync(cwd)]).toEqual([2, expect.stringContaining('There is no record'), []])
})

describe('onbook publish and label', () => {
  it('shows the label that is named, and no labels of what is not there', async () => {
    const cwd = fresh()
    await runCli(['init', '.'], { cwd })
    await runCli(['publish'], { cwd })
    const label = (...args: readonly string[]) => runCli(['label', ...args], { cwd })
    expect((await label('summarizer', 'production')).out).toBe('summarizer has no label production.\n')
    expect((await label('summarizer')).out).toMatch(/^label .*\nactive +1\.0\.0 .*its first version\n$/)
    await label('summarizer', 'production', '1.0.0', '--new')
    await label('summarizer', 'staging', '1.0.0', '--new')
    expect((await label('summarizer', '--json')).out).toContain('staging')
    expect((await label('summarizer', 'production', '--json')).out).not.toContain('staging')
    expect((await label('summarizer', 'prod')).out).toBe('summarizer has no label prod.\n')
    expect(await label('sumarizer')).toMatchObject({
      code: 2,
      err: 'onbook: there is no template sumarizer; the nearest name is summarizer.\n',
    })
    expect(await label('summarizer', '--remove')).toMatchObject({ code: 2, err: 'onbook: name the label that is meant.\n' })
  })

  it('publish packs once, in one commit, and keep the history of labels', async () => {
    const folder = fresh()
    await runCli(['init', 'ws'], { cwd: folder })
    const cwd = join(folder, 'ws')
    const first = JSON.parse((await runCli(['publish', '--json'], { cwd })).out) as { published: string[]; unchanged: string[] }
    expect(first.published).toContain('prompt:summarizer@1.0.0')
    const again = JSON.parse((await runCli(['publish', '--json'], { cwd })).out) as typeof first
    const active = first.published.map(ref => ({ templateId: ref.slice('prompt:'.length, ref.indexOf('@')), version: '1.0.0' }))
    expect(again).toEqual({ published: [], unchanged: first.published, active, agents: [], workflows: [] })
    const move = (version: string, why: string) => runCli(['label', 'summarizer', 'production', version, '--new', '--why', why], { cwd })
    expect((await move('1.0.0', 'first')).code).toBe(0)
    expect(await move('9.9.9', 'no such')).toMatchObject({ code: 2, err: expect.stringContaining('there is no summarizer@9.9.9') })
    await runCli(['label', 'summarizer', 'production', '--remove'], { cwd })
    const { history } = JSON.parse((await runCli(['label', 'summarizer', '--history', '--json'], { cwd })).out) as { history: object[] }
    expect(history).toMatchObject([
      { label: 'active', from: null, to: '1.0.0', why: 'its first version' },
      { label: 'production', from: null, to: '1.0.0', why: 'first' },
      { label: 'production', from: '1.0.0', to: null },
    ])
    const { out } = await runCli(['events', 'library/onbook', '--json'], { cwd })
    const types = out.split('\n').flatMap(line => (line === '' ? [] : [(JSON.parse(line) as { type: string }).type]))
    // The schemas of the pack are stored once beside its templates.
    expect(types.filter(type => type === 'pack.schemasKept')).toHaveLength(1)
    expect(types.filter(type => type === 'label.moved')).toHaveLength(first.published.length + 2)
    expect(types).toHaveLength(2 * first.published.length + 3)
  })

  it('render as the host does: one hash, whoever asks', async () => {
    const folder = fresh()
    const { url, child, ended } = await serve(folder)
    const key = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const post = (path: string, body: object) => fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const variables = [
      { name: 'topic', type: 'string', required: true },
      { name: 'tenantId', type: 'string', required: true, source: 'context' },
    ]
    await post('/v1/prompts', { templateId: 'w', version: '1.0.0', kind: 'user', text: 'On {{topic}} for {{tenantId}}', variables })
    const asked = { ref: 'prompt:w@1.0.0', variables: { topic: 'the <sea>' }, contentTrust: 'untrusted' }
    const { hash, composed } = (await (await post('/v1/prompts:render', asked)).json()) as { hash: string; composed: string }
    await runCli(['label', 'w', 'live', '1.0.0', '--new'], { cwd: folder })
    for (const ref of ['prompt:w@1.0.0', 'prompt:w@live', 'prompt:w']) {
      const { out } = await runCli(['render', ref, '--values', JSON.stringify(asked.variables), '--untrusted', '--json'], { cwd: folder })
      expect(JSON.parse(out)).toMatchObject({ ref: 'prompt:w@1.0.0', hash, text: composed })
    }
    child.kill('SIGTERM')
    await ended
  })

  it('find the record of a folder above', async () => {
    const folder = fresh()
    await runCli(['init', 'ws'], { cwd: folder })
    const cwd = join(folder, 'ws')
    await runCli(['publish'], { cwd })
    const below = join(cwd, 'prompts', 'summarizer')
    expect((await runCli(['label', 'summarizer', 'live', '1.0.0', '--new'], { cwd: below })).code).toBe(0)
    expect(readdirSync(below)).not.toContain('.onbook')
    expect((await runCli(['label', 'summarizer'], { cwd })).out).toContain('live')
  })

  it('render nothing that is not there', async () => {
    const cwd = fresh()
    const { code, err } = await runCli(['render', 'prompt:nothing'], { cwd })
    expect([code, err, readdirSync(cwd)]).toEqual([2, expect.stringContaining('There is no pack "prompt:nothing" here'), []])
    await runCli(['keys', 'create'], { cwd })
    expect((await runCli(['render', 'prompt:nothing'], { cwd })).err).toContain('there is no template nothing')
  })

  it('refuse a pack with errors, and other text under a version that is taken', async () => {
    const folder = fresh()
    await runCli(['init', 'ws'], { cwd: folder })
    const cwd = join(folder, 'ws')
    await runCli(['publish'], { cwd })
    const pack = join(cwd, 'prompts', 'summarizer', 'v1.0.0.yaml')
    const text = readFileSync(pack, 'utf8')
    writeFileSync(pack, text.replace('systemPrompt: |', 'systemPrompt: |\n  Be brief.'))
    expect(await runCli(['publish'], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining('exists') })
    writeFileSync(pack, text.replace('{{', '{{nobody} {{'))
    expect((await runCli(['publish'], { cwd })).code).toBe(1)
  })
})
