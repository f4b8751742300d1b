// An MCP server by hand, so that it can do what no package lets one do. Its first argument says what; a file named second says which tools.
// @ts-check
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [how = 'well', file = ''] = process.argv.slice(2)

/** @typedef {{ name: string, description?: string, inputSchema: object, annotations?: object }} Tool */

const schema = { type: 'object', properties: { text: { type: 'string' } } }
/** @type {Tool[]} */
const usual = [
  { name: 'say', description: 'Says it again.', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'environment', description: 'Its variables.', inputSchema: schema },
]
/** Read anew each time: so a test can change what is listed while the server lives. @returns {Tool[]} */
const tools = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : usual)

/** @param {unknown} message */
const write = message => void process.stdout.write(`${JSON.stringify(message)}\n`)
/** @param {number} id @param {object} result */
const answer = (id, result) => write({ jsonrpc: '2.0', id, result })
/** @param {string} text */
const said = text => ({ content: [{ type: 'text', text }] })

if (how === 'dies at once') {
  if (file !== '') appendFileSync(file, 'started\n')
  process.stderr.write(`no such licence: ${process.env.LENT_TOKEN ?? 'none'}\n`)
  process.exit(3)
}
if (how === 'floods') setInterval(() => process.stdout.write(`${'x'.repeat(100_000)}\n`), 1)
if (how === 'never connects' && file !== '') writeFileSync(file, String(process.pid))
if (how === 'deaf') process.on('SIGTERM', () => {})
if (how === 'has a child') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  writeFileSync(file, String(child.pid))
}

let working = false

/** @param {number} id @param {{ cursor?: string }} params */
function list(id, { cursor }) {
  if (how === 'hangs on list') return
  // Until it has something else to do.
  if (how === 'hangs while it works' && working) return
  if (how === 'lists garbage') return answer(id, { tools: 'all of them' })
  if (how === 'lists for ever') return answer(id, { tools: [], nextCursor: `${Number(cursor ?? 0) + 1}` })
  if (how === 'lists too many') {
    const from = Number(cursor ?? 0)
    const page = Array.from({ length: 1_000 }, (_, n) => ({ name: `tool_${from + n}`, inputSchema: schema }))
    return answer(id, { tools: page, ...(from + 1_000 < 100_000 ? { nextCursor: String(from + 1_000) } : {}) })
  }
  if (how === 'lists at once') {
    return answer(id, { tools: Array.from({ length: 100_000 }, (_, n) => ({ name: `tool_${n}`, inputSchema: schema })) })
  }
  const half = Math.ceil(tools().length / 2)
  if (cursor === undefined) return answer(id, { tools: tools().slice(0, half), nextCursor: 'rest' })
  return answer(id, { tools: tools().slice(half) })
}

/** @param {number} id @param {{ name: string, arguments: { text?: string } }} params */
function call(id, { name, arguments: { text = '' } }) {
  if (how === 'dies on call') process.exit(1)
  if (how === 'hangs on call') return
  if (how === 'answers garbage') return answer(id, { content: 7 })
  if (how === 'answers hugely') return answer(id, said('x'.repeat(20 * 1024 * 1024)))
  if (how === 'answers deeply')
    return write(
      JSON.parse(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${'['.repeat(3000)}${']'.repeat(3000)}}}`),
    )
  if (how === 'refuses') return write({ jsonrpc: '2.0', id, error: { code: -32602, message: `no ${name} today` } })
  if (how === 'hangs while it works') {
    working = true
    return setTimeout(answer, 4_000, id, said(text))
  }
  if (name === 'environment') return answer(id, { content: [], structuredContent: { ...process.env } })
  if (text === 'fail') return answer(id, { ...said('it cannot be said'), isError: true })
  if (text === 'picture') return answer(id, { content: [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }, said(text).content[0]] })
  if (text === 'structure') return answer(id, { ...said('{"b":1,"a":[2]}'), structuredContent: { a: [2], b: 1 } })
  return answer(id, said(text))
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params = {} } = JSON.parse(line)
  if (how === 'never connects') return
  if (how === 'chats') process.stdout.write('starting up…\n{"not":"a message"}\n')
  if (method === 'initialize')
    return answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'hostile', version: '1' },
    })
  if (method === 'tools/list') return list(id, params)
  if (method === 'tools/call') return call(id, params)
  if (id !== undefined) write({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } })
})
createInterface({ input: process.stdin }).on('close', () => {
  if (how !== 'deaf') process.exit(0)
  setInterval(() => {}, 1_000)
})
