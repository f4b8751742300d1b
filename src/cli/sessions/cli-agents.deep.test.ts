// Tests command-line agents as providers of sessions, from the host's file to the record, and that no process is left behind.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { PROVIDERS } from '../../adapters/models/ai-sdk-providers.ts'
import { TAKEN_PROVIDERS } from '../../host/settings/cli-agents.ts'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'
import { type FakeProtocol, fakeAgent, isAlive } from '../../testing/models/fake-cli-agent.ts'

const fake = (behaviour: string, protocol: FakeProtocol) => ({ fake: fakeAgent(behaviour, protocol) })
/** Writes its process id, and never ends. */
const endless = { fake: { command: ['sh', '-c', 'echo $$ > pid; exec sleep 1000'] } }

async function place(cliAgents: object) {
  const folder = temporaryFolder(null, { 'onbook.host.yaml': JSON.stringify({ cliAgents }) })
  const onbook = (args: readonly string[], during?: Parameters<typeof runCli>[1]) => runCli(args, { cwd: folder, ...during })
  expect(await onbook(['sessions', 'create', 'writer', '--provider', 'fake', '--model', 'default'])).toMatchObject({ code: 0 })
  const pid = () => Number(existsSync(join(folder, 'pid')) ? readFileSync(join(folder, 'pid'), 'utf8') : 0)
  return { folder, onbook, pid }
}
const RUN = ['sessions', 'run', 'writer', '--input', 'Hello', '--json']

describe('a session with a command-line agent', () => {
  it.each(['text', 'stream-json'] as const)('is answered in %s', async protocol => {
    const { onbook } = await place(fake('fine', protocol))
    expect(JSON.parse((await onbook(RUN)).out)).toMatchObject({ status: 'completed', reply: 'Good morning, Zoë 🌅.' })
  })

  it('is told what went wrong', async () => {
    const { onbook } = await place(fake('fails', 'text'))
    const { code, out } = await onbook(RUN)
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      status: 'failed',
      code: 'provider_terminal',
      detail: expect.stringContaining('Something is wrong'),
    })
  })

  it('of another tenant may not use it', async () => {
    const { onbook } = await place(fake('fine', 'text'))
    const theirs = ['--tenant', 'acme', '--json']
    await onbook(['sessions', 'create', 'writer', '--provider', 'fake', '--model', 'default', ...theirs])
    const { out } = await onbook(['sessions', 'run', 'writer', '--input', 'Hello', ...theirs])
    expect(JSON.parse(out)).toMatchObject({ status: 'failed', code: 'provider_closed' })
  })

  it('may be set to something else by --config, which is no file of the host', async () => {
    const { onbook } = await place(fake('fine', 'text'))
    const { out } = await onbook([...RUN, '--config', '{"provider":"fake","model":"large"}'])
    expect(JSON.parse(out)).toMatchObject({ status: 'completed' })
  })

  it('leaves no agent behind when a person interrupts the command', async () => {
    const { onbook, pid } = await place(endless)
    await onbook(RUN, {
      during: child => void vi.waitFor(() => expect(pid()).toBeGreaterThan(0), 30_000).then(() => child.kill('SIGINT')),
    })
    expect(pid()).toBeGreaterThan(0)
    await vi.waitFor(() => expect(isAlive(pid())).toBe(false), 5_000)
  })

  it('leaves no agent behind when its host is stopped, and goes on with the next host', async () => {
    const { folder, pid } = await place(endless)
    const host = await serveCli(folder)
    await host.ask('POST', '/v1/sessions/writer/runs', { input: 'Hello' })
    await vi.waitFor(() => expect(pid()).toBeGreaterThan(0), 30_000)
    const first = pid()
    expect(await host.stop()).toBe(0)
    expect(isAlive(first)).toBe(false)
    const next = await serveCli(folder)
    await vi.waitFor(() => expect(pid()).not.toBe(first), 30_000)
    await next.stop()
    expect(isAlive(pid())).toBe(false)
  })
})

describe('who runs the tools of an agent', () => {
  const serve = async (cliAgents: object, env: Readonly<Record<string, string>>) => {
    const { folder } = await place({ fake: fakeAgent('fine', 'text'), ...cliAgents })
    return runCli(['serve', '--port', '0'], { cwd: folder, env, during: child => child.stdout!.once('data', () => child.kill('SIGTERM')) })
  }

  it('is an error at the start when it is a word that nobody knows', async () => {
    const { code, err } = await serve({}, { ONBOOK_FAKE_NATIVE_TOOLS: 'both' })
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('ONBOOK_FAKE_NATIVE_TOOLS cannot be used: it must be provider or onbook, not "both"'),
    ])
  })

  it('is a warning where a preset does not listen', async () => {
    const { code, err } = await serve({ claude: { preset: 'claude' } }, { ONBOOK_CLAUDE_NATIVE_TOOLS: 'onbook' })
    expect([code, err]).toEqual([0, expect.stringContaining('nativeTools of claude is ignored')])
  })
})

it('an agent cannot take the name of a provider that there is', () => {
  expect([...TAKEN_PROVIDERS].sort()).toEqual([...PROVIDERS.keys(), 'recorded', 'scripted'].sort())
})
