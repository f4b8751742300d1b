// Tests /v1/tools over real HTTP, with an MCP server that is a real process.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mcpToolServer } from '../../../adapters/mcp/mcp-tool-server.ts'
import { createClient } from '../../../client/index.ts'
import type { ToolServer } from '../../../ports.ts'
import { startHost, type TestHost } from '../../../testing/hosts/start-host.ts'

const file = join(mkdtempSync(join(tmpdir(), 'onbook-tools-')), 'tools.json')
const lists = (description: string) => writeFileSync(file, JSON.stringify([{ name: 'say', description, inputSchema: { type: 'object' } }]))

let host: TestHost
let server: ToolServer
let operator: string
beforeAll(async () => {
  lists('Says it.')
  const settings = {
    command: process.execPath,
    args: [resolve('src/testing/tools/hostile-mcp-server.mjs'), 'well', file],
    tenants: ['default', 'acme'],
  }
  server = mcpToolServer('desk', settings, { get: async () => null })
  const servers = new Map([['desk', server]])
  host = await startHost({}, { servers })
  operator = (await host.makeKey('default')).key
})
afterAll(async () => {
  await server.close()
  await host.close()
})

const stateOf = async (key: string) => {
  const { body } = await host.ask('GET', '/v1/tools', { key })
  return body.tools.find(({ name }: { name: string }) => name === 'desk__say')
}
const adopt = (body: object, key = operator) => host.ask('POST', '/v1/tools:adopt', { key, body })

it('shows what a server lists, and binds it when the operator adopts it', async () => {
  const shown = await stateOf(operator)
  expect(shown).toMatchObject({ server: 'desk', tool: 'say', state: 'new', offered: false })
  const { status, body } = await adopt({ server: 'desk', tools: ['say'], descriptor: shown.descriptor })
  expect([status, body]).toEqual([
    200,
    { adopted: [{ name: 'desk__say', tool: 'say', descriptor: shown.descriptor, before: null, reads: false }] },
  ])
  expect(await stateOf(operator)).toMatchObject({ state: 'adopted', offered: true, adopted: { by: expect.stringMatching(/^key:/) } })
})

it('adopts what was looked at, and not what its server says by now', async () => {
  const { descriptor } = await stateOf(operator)
  lists('Says it louder.')
  expect(await adopt({ server: 'desk', tools: ['say'], descriptor })).toMatchObject({ status: 409, body: { error: 'tool_changed' } })
  expect(await stateOf(operator)).toMatchObject({ state: 'changed', difference: expect.stringMatching(/louder/) })
})

it('lets nobody but the operator adopt or drop, whatever their scopes', async () => {
  expect(await stateOf(host.key)).toMatchObject({ state: 'changed' })
  expect(await adopt({ server: 'desk' }, host.key)).toMatchObject({ status: 404, body: { error: 'tool_server_missing' } })
  expect(await host.ask('POST', '/v1/tools:drop', { body: { server: 'desk' } })).toMatchObject({ status: 404 })
  const { key: reader } = await host.makeKey('default', ['tools:read'])
  expect(await adopt({ server: 'desk' }, reader)).toMatchObject({ status: 403 })
  const { key: stranger } = await host.makeKey('umbrella')
  expect(await stateOf(stranger)).toBeUndefined()
})

it('through the client: all at once, and taken back', async () => {
  const { tools } = createClient({ url: host.url, key: operator })
  expect(await tools.adopt({ server: 'desk' })).toMatchObject([{ name: 'desk__say' }])
  expect(await tools.drop({ server: 'desk' })).toEqual([{ name: 'desk__say', tool: 'say' }])
  expect((await tools.list('writer')).tools.find(({ server }) => server === 'desk')?.state).toBe('new')
  await expect(tools.adopt({ server: 'nowhere' })).rejects.toMatchObject({ code: 'tool_server_missing' })
})
