// Tests runs of the command line and of a host with a provider on 127.0.0.1: limits from onbook.host.yaml, and nothing keeps the process alive.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'
import { events, type LoopbackChat, loopbackChat, sendChunks } from '../../testing/models/loopback-chat.ts'
import { gate } from '../../testing/models/talking-chat.ts'

let server: LoopbackChat
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

async function serving(answer: Parameters<typeof loopbackChat>[1], settings = ''): Promise<string> {
  server = await loopbackChat('openai', answer)
  vi.stubEnv('OPENAI_COMPATIBLE_BASE_URL', server.url)
  return temporaryFolder(null, {
    'onbook.host.yaml': `model: { provider: openai-compatible, model: tiny }\n${settings}`,
    'flow.yaml': 'id: flow\nobjective: Say something.\nnodes: [{ id: writer }]\n',
  })
}

it('a command ends by itself after an answer', async () => {
  const folder = await serving(() => ({ pieces: ['Not', 'ed.'] }))
  expect(await runCli(['run', 'flow.yaml'], { cwd: folder })).toMatchObject({ code: 0, out: 'Noted.\n' })
})

it('a command ends by itself after a provider that has gone silent, and says so', async () => {
  const [first] = events('openai', { pieces: ['half '] }).split(/(?<=\n\n)/)
  const folder = await serving(response => void sendChunks(response, [first!]), 'modelCalls: { idleMs: 1000 }\n')
  const { code, out, err } = await runCli(['run', 'flow.yaml', '--watch'], { cwd: folder })
  expect([code, out, server.heard.length]).toEqual([1, '', 3])
  await vi.waitFor(() => expect(server.open()).toBe(0))
  expect(err).toContain('it sent nothing for 1000 ms')
})

it('a host passes on tool calls as they are written', async () => {
  const listening = gate()
  const toolCalls = [{ id: 'c1', name: 'nothing', arguments: '{"a":1}' }]
  const folder = await serving((response, { body }) => {
    if (body.includes('"role":"tool"')) return { pieces: ['Done.'] }
    void listening.passed.then(() => sendChunks(response, [events('openai', { toolCalls })])).then(() => response.end())
    return undefined
  })
  const host = await serveCli(folder)
  try {
    const { runId } = JSON.parse((await runCli(['run', 'flow.yaml', '--detach', '--json'], { cwd: folder })).out)
    const authorization = `Bearer ${readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()}`
    const told = await fetch(`${host.url}/v1/runs/${runId}/events?streamMode=onbook`, { headers: { authorization } })
    listening.open()
    const chunks = [...(await told.text()).matchAll(/event: onbook\.message\.chunk\ndata: (.*)\n/g)].map(([, data]) => JSON.parse(data!))
    expect(chunks).toEqual([
      { runId, nodeId: 'writer', kind: 'tool', call: 1, name: 'nothing', text: '{"a":1}' },
      { runId, nodeId: 'writer', kind: 'text', text: 'Done.' },
    ])
  } finally {
    await host.stop()
  }
})
