// Tests commands through a host named with --url or ONBOOK_URL: they do the same as on a folder, with the rights of their key.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../core/access/keys.ts'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'

let host: TestHost
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

/** @param key null for the key with every scope */
const onHost = (cwd: string, key: string | null = null) => {
  const run = (...args: string[]) => runCli(args, { cwd, env: { ONBOOK_URL: host.url, ONBOOK_KEY: key ?? host.key } })
  return { run, json: async (...args: string[]) => JSON.parse((await run(...args, '--json')).out) }
}
const keyWith = async (...scopes: Scope[]) => (await host.makeKey('acme', scopes)).key

describe('packs and labels', () => {
  const cwd = temporaryFolder('scaffold')
  const { run, json } = onHost(cwd)

  it('publishes packs, agents and workflows once, and makes no record in the folder', async () => {
    const first = await json('publish')
    expect(first.published).toContain('prompt:summarizer@1.0.0')
    expect(first.active).toContainEqual({ templateId: 'summarizer', version: '1.0.0' })
    const again = await json('publish')
    expect([again.published, again.unchanged]).toEqual([[], first.published])
    const definitions = [...again.agents, ...again.workflows]
    expect(definitions.filter(({ outcome }) => outcome !== 'unchanged')).toEqual([])
    expect(existsSync(join(cwd, '.onbook'))).toBe(false)
  })

  it('publishes the same bytes as on a folder', async () => {
    const folder = temporaryFolder('scaffold')
    await runCli(['publish'], { cwd: folder })
    const { out } = await runCli(['events', 'library/onbook', '--json'], { cwd: folder })
    const here = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).payload)
    const { events } = (await host.ask('GET', '/v1/streams/library%2Fonbook/events')).body
    expect(events.map(({ payload }: { payload: unknown }) => payload)).toEqual(here)
  })

  it('activates a version with its tests, goes back, and retires it', async () => {
    await run('bump', 'summarizer', 'minor')
    const script = (version: string) => join(cwd, `prompts/summarizer/v${version}.script.yaml`)
    writeFileSync(script('1.1.0'), readFileSync(script('1.0.0')))
    expect(await json('activate', 'summarizer', '1.1.0', '--why', 'shorter')).toMatchObject({ from: '1.0.0', to: '1.1.0' })
    expect(await json('label', 'summarizer', 'active')).toMatchObject({ labels: [{ version: '1.1.0', why: 'shorter' }] })
    expect(await json('activate', 'summarizer', '--back')).toMatchObject({ from: '1.1.0', to: '1.0.0' })
    const weak = onHost(cwd, await keyWith('prompts:read'))
    expect((await weak.run('retire', 'summarizer', '1.1.0')).err).toContain('prompts:write')
    expect(await json('retire', 'summarizer', '1.1.0')).toMatchObject({ status: 'retired' })
    expect((await run('label', 'summarizer', 'active', '1.1.0')).err).toContain('retired')
  })

  it('moves, protects, lists and removes labels', async () => {
    const moved = await json('label', 'summarizer', 'live', '1.0.0', '--new', '--why', 'first')
    expect(moved).toMatchObject({ labels: [{ label: 'live', why: 'first' }] })
    await run('label', 'summarizer', 'live', '--protect')
    const weak = onHost(cwd, await keyWith('prompts:read', 'labels:write'))
    expect(await weak.run('label', 'summarizer', 'live', '--remove')).toMatchObject({ code: 2, err: expect.stringContaining('protected') })
    expect((await json('label', 'summarizer', 'live', '--remove')).labels).toEqual([])
    expect((await json('label', 'summarizer', 'live', '--history')).history).toMatchObject([{ to: '1.0.0' }, { to: null }])
    expect(await run('label', 'nobody')).toMatchObject({ code: 2, err: expect.stringContaining('nobody') })
  })

  it.each([
    ['prompts:write', ['publish'], ['prompts:read']],
    ['labels:write', ['activate', 'summarizer', '1.0.0'], ['prompts:read', 'prompts:write']],
    ['labels:write', ['label', 'summarizer', 'live', '1.0.0', '--new'], ['prompts:read', 'prompts:write']],
    ['labels:protect', ['label', 'summarizer', 'live', '--protect'], ['prompts:read', 'labels:write']],
  ] as const)('names the scope %s that a key lacks for %j', async (scope, args, scopes) => {
    const folder = temporaryFolder('scaffold')
    const { run: asked } = onHost(folder, await keyWith(...scopes))
    expect(await asked(...args)).toMatchObject({ code: 2, err: expect.stringContaining(scope) })
  })

  it('shows nothing to another tenant', async () => {
    const stranger = onHost(cwd, (await host.makeKey('umbrella')).key)
    expect((await stranger.run('label', 'summarizer')).code).toBe(2)
  })
})

describe('workspaces', () => {
  const cwd = temporaryFolder(null, { 'desk/a.md': 'A', 'desk/b/c.md': 'C', 'desk/d.md': 'h' })
  const { run, json } = onHost(cwd)
  const publish = (...more: string[]) => json('publish', 'desk', '--workspace', 'writer', ...more)

  it('publishes a folder, and a version only when it differs', async () => {
    expect((await publish('--message', 'first')).workspace).toMatchObject({ outcome: 'committed', version: 1, files: 3, added: 3 })
    expect((await publish()).workspace).toMatchObject({ outcome: 'unchanged', version: 1 })
    writeFileSync(join(cwd, 'desk/a.md'), 'AA')
    expect((await publish('--expect', '1')).workspace).toMatchObject({ version: 2, added: 0, changed: 1, removed: 0 })
    expect(await publish('--expect', '1')).toMatchObject({ error: 'workspace_conflict' })
  })

  it('is listed, logged, compared, shown and checked out', async () => {
    expect((await json('workspace', 'list')).workspaces).toMatchObject([{ workspace: 'writer', version: 2 }])
    expect((await json('workspace', 'log', 'writer')).versions).toMatchObject([{ version: 2 }, { version: 1, message: 'first' }])
    expect((await json('workspace', 'diff', 'writer')).changes).toMatchObject([{ path: 'a.md', kind: 'changed' }])
    expect((await json('workspace', 'diff', 'writer', '--path', 'b')).changes).toEqual([])
    expect(await json('workspace', 'show', 'writer@1', 'a.md')).toMatchObject({ version: 1, path: 'a.md', size: 1 })
    expect((await run('workspace', 'show', 'writer', 'a.md')).out).toBe('AA')
    expect((await json('workspace', 'show', 'writer')).entries.map(({ path }: { path: string }) => path)).toContain('b/c.md')
    expect(await json('workspace', 'checkout', 'writer@1', 'old')).toMatchObject({ version: 1, files: 3 })
    expect(readFileSync(join(cwd, 'old/a.md'), 'utf8')).toBe('A')
  })

  it('is checked by the host, and the result can be read again', async () => {
    const broken = onHost(temporaryFolder(null, { 'desk/tools/catalogs/default.json': '["nothing"]' }))
    expect((await broken.json('publish', 'desk', '--workspace', 'broken')).workspace.checks).toMatchObject({ errors: 1 })
    expect(await broken.run('workspace', 'check', 'broken')).toMatchObject({ code: 1, out: expect.stringContaining('1 error') })
    expect((await broken.json('workspace', 'show', 'broken', '--checks')).findings).toHaveLength(1)
  })

  it.each([
    ['workspaces:read', ['workspace', 'list'], ['workspaces:write']],
    ['workspaces:write', ['workspace', 'check', 'writer'], ['workspaces:read']],
  ] as const)('names the scope %s that a key lacks for %j', async (scope, args, scopes) => {
    const { run: asked } = onHost(cwd, await keyWith(...scopes))
    expect(await asked(...args)).toMatchObject({ code: 2, err: expect.stringContaining(scope) })
  })

  it('does not exist for another tenant, nor for a key of another workspace', async () => {
    const stranger = onHost(cwd, (await host.makeKey('umbrella')).key)
    expect((await stranger.json('workspace', 'list')).workspaces).toEqual([])
    const limited = onHost(cwd, (await host.makeKey('acme', undefined, { workspaces: ['other'] })).key)
    expect((await limited.run('workspace', 'show', 'writer')).code).toBe(2)
    expect((await limited.json('publish', 'desk', '--workspace', 'other')).workspace).toMatchObject({ version: 1, files: 3 })
  })
})

describe('verify', () => {
  const cwd = temporaryFolder(null)

  it('answers the machine contract, of the tenant alone', async () => {
    await host.ask('POST', '/v1/prompts', { body: template('verified') })
    const { run } = onHost(cwd)
    const { code, out } = await run('verify', '--json')
    const mine = JSON.parse(out)
    expect([code, mine.intact, mine.breaks]).toEqual([0, true, []])
    expect(mine.streams).toBeGreaterThan(0)
    const stranger = JSON.parse((await onHost(cwd, (await host.makeKey('nobody-yet')).key).run('verify', '--json')).out)
    expect(stranger).toMatchObject({ intact: true, streams: 0, events: 0, objects: 0 })
  })

  it('names the scope that a key lacks', async () => {
    const { run } = onHost(cwd, await keyWith('prompts:read'))
    expect(await run('verify')).toMatchObject({ code: 2, err: expect.stringContaining('record:read') })
  })
})
