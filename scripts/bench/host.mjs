// @ts-check
// npm run bench -- host: the host beside a bare node:http server that sends equal JSON, 16 connections, authenticated, in one run.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, number, table } from './measuring/measure.mjs'

const CONNECTIONS = 16
const ROUNDS = 5
const ROUND_MS = 1_500

/** @typedef {{ method: string, path: string, body?: string }} Call */

const folder = mkdtempSync(join(tmpdir(), 'onbook-bench-host-'))
const host = start(['bin/onbook.mjs', 'serve', '--port', '0', '--data', folder, '--json'])
const url = new URL((await host.line).url)
const key = readFileSync(join(folder, 'local.key'), 'utf8').trim()
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

const text = `You write for {{audience}} about {{topic}}.\n${'Keep to the facts, name your sources, and say what you do not know. '.repeat(55)}\n{{#each points}}- {{this}}\n{{/each}}`
const template = {
  templateId: 'writer',
  version: '1.0.0',
  kind: 'system',
  text,
  variables: [
    { name: 'audience', type: 'string', required: true },
    { name: 'topic', type: 'string', required: true },
    { name: 'points', type: 'array', required: false },
  ],
}
await send(url, { method: 'POST', path: '/v1/prompts', body: JSON.stringify(template) })
const variables = { audience: 'engineers', topic: 'records', points: Array.from({ length: 20 }, (_, n) => `point ${n}`) }

/** @type {Record<string, Call>} */
const calls = {
  'GET pinned': { method: 'GET', path: '/v1/prompts/writer?version=1.0.0' },
  ':render, 4 kB': { method: 'POST', path: '/v1/prompts:render', body: JSON.stringify({ ref: 'prompt:writer@1.0.0', variables }) },
  ':resolve': {
    method: 'POST',
    path: '/v1/prompts:resolve',
    body: JSON.stringify({
      node: { nodeId: 'n', config: { systemPromptRef: 'prompt:writer' } },
      workflowDefaults: { system: 'prompt:writer@1.0.0' },
      kind: 'system',
    }),
  },
}

const rows = [['', 'bare, req/s', 'onbook, req/s', 'ratio', 'bare p99, ms', 'onbook p99, ms', 'ratio']]
for (const [name, call] of Object.entries(calls)) {
  const { body } = await send(url, call)
  const bare = start(['scripts/bench/host/bare-server.mjs'], body)
  const bareUrl = new URL((await bare.line).url)
  /** @type {Record<'bare' | 'onbook', { rate: number, p99: number }[]>} */
  const taken = { bare: [], onbook: [] }
  for (let round = 0; round < ROUNDS; round++) {
    taken.bare.push(await load(bareUrl, call))
    taken.onbook.push(await load(url, call))
  }
  bare.child.kill()
  const [rate, p99] = [
    (/** @type {'bare' | 'onbook'} */ who) => median(taken[who].map(one => one.rate)),
    (/** @type {'bare' | 'onbook'} */ who) => median(taken[who].map(one => one.p99)),
  ]
  rows.push([
    name,
    number(rate('bare'), 0),
    number(rate('onbook'), 0),
    number(rate('onbook') / rate('bare')),
    number(p99('bare')),
    number(p99('onbook')),
    number(p99('onbook') / p99('bare')),
  ])
}
const rss = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${host.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
table('Host, authenticated, 16 connections', rows)
console.log(`  resident memory of the host at most: ${number(rss, 0)} MB`)
agent.destroy()
host.child.kill()
await new Promise(resolve => host.child.once('close', resolve))
rmSync(folder, { recursive: true })

/** @param {readonly string[]} args @param {string} [input] */
function start(args, input) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  if (input !== undefined) child.stdin.end(input)
  /** @type {Promise<{ url: string }>} */
  const line = new Promise(resolve => child.stdout.once('data', data => resolve(JSON.parse(String(data).split('\n')[0] ?? ''))))
  return { child, line }
}

/** @param {URL} to @param {Call} call @returns {Promise<{ status: number, body: string }>} */
function send(to, { method, path, body }) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const asked = request({ host: to.hostname, port: to.port, method, path, headers, agent }, answer => {
      let got = ''
      answer.setEncoding('utf8')
      answer.on('data', chunk => {
        got += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: got }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** @param {URL} to @param {Call} call */
async function load(to, call) {
  const started = performance.now()
  /** @type {number[]} */
  const times = []
  const work = async () => {
    while (performance.now() - started < ROUND_MS) {
      const began = performance.now()
      const { status } = await send(to, call)
      if (status !== 200) throw new Error(`${call.method} ${call.path} answered ${status}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  times.sort((a, b) => a - b)
  return { rate: times.length / ((performance.now() - started) / 1000), p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}
