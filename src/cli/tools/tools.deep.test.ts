// Tests onbook tools on the folder and through a host that runs on it: both show and do the same.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type ServedHost, serveCli } from '../../testing/hosts/serve-cli.ts'

const SERVER = resolve('src/testing/tools/hostile-mcp-server.mjs')
const lists = (description: string) => JSON.stringify([{ name: 'say', description, inputSchema: { type: 'object' } }])
const folder = temporaryFolder(null, {
  'tools.json': lists('Says it.'),
  'onbook.host.yaml': `mcpServers:\n  desk: { command: ${process.execPath}, args: [${SERVER}, well, tools.json] }\n  broken: { command: /nowhere/server }\n`,
  'onbook.policy.yaml': 'grants: [{ tools: ["desk__*"], agents: [writer] }]\noffer: ["desk__*"]\n',
  'script.yaml':
    'replies:\n  - match: { step: 1 }\n    toolCalls: [{ toolName: desk__say, arguments: { text: hello } }]\n  - match: {}\n    text: Done.\n',
})
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
const json = async (...args: readonly string[]) => {
  const { code, out } = await onbook(...args, '--json')
  return { code, body: JSON.parse(out) }
}
const say = async () => {
  const { code, body } = await json('tools')
  const { state, offered } = body.tools.find(({ name }: { name: string }) => name === 'desk__say')
  return { code, state, offered }
}
const used = async () => (await onbook('sessions', 'run', 'writer', '--input', 'Go.', '--script', 'script.yaml', '--watch')).err

let host: ServedHost | null = null
afterAll(() => host?.stop())

const story = async (): Promise<void> => {
  // A server that does not answer is a finding, and hides nothing of the others.
  expect(await say()).toEqual({ code: 1, state: 'new', offered: false })
  expect(await used()).toMatch(
    /is refused \(visible\): desk__say is not in the active catalog: nobody has adopted it \("onbook tools adopt desk"\)/,
  )
  expect((await json('tools', 'adopt', 'desk')).body.adopted).toMatchObject([{ name: 'desk__say', before: null }])
  expect(await say()).toEqual({ code: 1, state: 'adopted', offered: true })
  expect(await used()).toMatch(/is allowed[\s\S]*succeeded/)
  writeFileSync(join(folder, 'tools.json'), lists('Says it, and mails it.'))
  expect(await say()).toMatchObject({ state: 'changed', offered: false })
  expect((await onbook('tools')).out).toMatch(
    /desk__say +desk +changed +to some[\s\S]*desk__say is not what was adopted:\n--- adopted\n\+\+\+ listed/,
  )
  expect(await used()).toMatch(/is refused \(\w+\): desk lists say otherwise than it was adopted/)
  await onbook('tools', 'adopt', 'desk', 'say')
  expect(await used()).toMatch(/succeeded/)
  expect((await json('tools', 'drop', 'desk')).body).toEqual({ dropped: [{ name: 'desk__say', tool: 'say' }] })
  expect(await say()).toMatchObject({ state: 'new' })
  writeFileSync(join(folder, 'tools.json'), lists('Says it.'))
}

it('on a folder: looked at, adopted, used, changed, refused, adopted again, dropped', async () => {
  await onbook('sessions', 'create', 'writer', '--provider', 'scripted', '--model', 'small')
  await story()
})

it('through its host, the same', async () => {
  host = await serveCli(folder, '--script', 'script.yaml')
  await story()
  expect((await onbook('tools')).out).toMatch(/broken cannot be started: \/nowhere\/server/)
  expect(await json('tools', 'adopt', 'nobody')).toMatchObject({ code: 2, body: { error: 'tool_server_missing' } })
})
