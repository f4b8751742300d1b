// A tool server over HTTP on this machine: the one of the MCP package, so that both of its protocols are tested.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Fault } from '../../errors.ts'
import type { ToolServer } from '../../ports.ts'
import { mcpToolServer } from './mcp-tool-server.ts'
import type { McpServerSettings } from './settings.ts'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'archive', version: '1.0.0' })
  const inputSchema = fromJsonSchema<{ readonly size: number }>({ type: 'object', properties: { size: { type: 'integer' } } })
  server.registerTool('write', { description: 'Writes so much.', inputSchema }, ({ size }) => ({
    content: [{ type: 'text', text: 'x'.repeat(size) }],
  }))
  return server
})

let http: Server
let url: string
const opened: ToolServer[] = []
beforeAll(async () => {
  http = createServer(async (request, response) => {
    if (request.url === '/elsewhere') return void response.writeHead(307, { location: 'http://127.0.0.1:9/mcp' }).end()
    if (request.headers['x-archive-key'] !== 'open sesame') return void response.writeHead(401).end('no')
    const body = request.method === 'POST' ? await buffer(request) : null
    const asked = new Request(`http://127.0.0.1${request.url}`, {
      method: request.method!,
      headers: request.headers as Record<string, string>,
      body,
    })
    const answer = await handler.fetch(asked)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body === null) response.end()
    else Readable.fromWeb(answer.body as never).pipe(response)
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
afterAll(async () => {
  await Promise.all(opened.map(one => one.close()))
  await handler.close()
  http.closeAllConnections()
  http.close()
})

const secrets = { get: async (id: string) => (id === 'archive-key' ? 'open sesame' : null) }
function serverAt(path: string, settings: McpServerSettings = {}): ToolServer {
  const server = mcpToolServer('archive', { url: `${url}${path}`, headers: { 'x-archive-key': 'archive-key' }, ...settings }, secrets)
  opened.push(server)
  return server
}
const write = (server: ToolServer, size: number) =>
  server.call({ name: 'write', description: '', inputSchema: {} }, { size }, new AbortController().signal)
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Fault) => error.message,
  )

it('is listed and called, with its header from a secret', async () => {
  const server = serverAt('/mcp')
  expect((await server.list()).tools).toMatchObject([{ name: 'write', description: 'Writes so much.' }])
  expect(await write(server, 3)).toEqual({ text: 'xxx' })
})

it('is read no further than its limit', async () => {
  const server = serverAt('/mcp', { maxAnswerBytes: 10_000 })
  expect(await write(server, 100)).toEqual({ text: 'x'.repeat(100) })
  expect(await messageOf(write(server, 100_000))).toMatch(/^The MCP server archive /)
})

it('is not followed to another place, where its secret would be sent along', async () => {
  expect(await messageOf(serverAt('/elsewhere').list())).toMatch(/^The MCP server archive /)
})

it('that is not there, lets nobody in, or needs a secret that is not there says so', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const gone = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/mcp`
  closed.close()
  expect(await messageOf(serverAt('/mcp', { url: gone }).list())).toBe(
    `The MCP server archive cannot be reached at ${gone}: the connection is refused.`,
  )
  expect(await messageOf(serverAt('/mcp', { headers: {} }).list())).toMatch(/^The MCP server archive /)
  expect(await messageOf(serverAt('/mcp', { headers: { 'x-archive-key': 'other' } }).list())).toMatch(/needs the secret other/)
})
