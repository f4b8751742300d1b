// @ts-check
// The three calls that agents make all day, beside a bare server that is sent the same bytes and sends the same back.
import { median, number, table } from '../measuring/measure.mjs'
import { makeLibrary } from './library.mjs'
import { load } from './load.mjs'
import { cpuOf, drop, freshFolder, memoryOf, startBare, startHost } from './processes.mjs'

const CONNECTIONS = 16
const ROUNDS = 7
const MS = 1_000
/** Different values, so that nothing is answered from what was rendered before. */
const BODIES = 500

const WORDS = 'Keep to the facts, name your sources, and say what you do not know. '.repeat(55)

/** @type {import('./library.mjs').Template} */
const WRITER = {
  templateId: 'writer',
  version: '1.0.0',
  kind: 'system',
  text: `You write for {{audience}} about {{topic}}.\n${WORDS}\n{{#each points}}- {{this}}\n{{/each}}`,
  variables: [
    { name: 'audience', type: 'string', required: true },
    { name: 'topic', type: 'string', required: true },
    { name: 'points', type: 'array', required: false },
  ],
  meta: { source: 'user' },
}

/** @param {number} index */
const renderBody = index => ({
  ref: 'prompt:writer@1.0.0',
  variables: { audience: 'engineers', topic: `record ${index + 1_000}`, points: Array.from({ length: 20 }, (_, n) => `point ${n}`) },
})

/** @param {number} index */
const resolveBody = index => ({
  node: { nodeId: `node-${index + 1_000}`, config: { systemPromptRef: 'prompt:writer' } },
  workflowDefaults: { system: 'prompt:writer@1.0.0' },
  kind: 'system',
})

/** @param {string} path @param {(index: number) => unknown} bodyOf @returns {readonly import('./load.mjs').Call[]} */
const posts = (path, bodyOf) => Array.from({ length: BODIES }, (_, n) => ({ method: 'POST', path, body: JSON.stringify(bodyOf(n)) }))

/** @type {Readonly<Record<string, readonly import('./load.mjs').Call[]>>} */
const CALLS = {
  'GET pinned, 4 kB': [{ method: 'GET', path: '/v1/prompts/writer?version=1.0.0' }],
  ':render, 4 kB': posts('/v1/prompts:render', renderBody),
  ':resolve': posts('/v1/prompts:resolve', resolveBody),
}

export async function benchCalls() {
  const folder = freshFolder()
  const keys = await makeLibrary(folder, [WRITER], Array(CONNECTIONS).fill('default'))
  const host = await startHost(folder, keys)
  const rows = [['', 'bare req/s', 'onbook', 'ratio', 'bare p99 ms', 'onbook', 'times', 'bare µs cpu', 'onbook', 'ratio']]
  for (const [name, calls] of Object.entries(CALLS)) {
    const bare = await startBare(await answerOf(host, calls[0]), keys)
    /** @type {Record<'bare' | 'onbook', { rate: number, p99: number, cpu: number }[]>} */
    const taken = { bare: [], onbook: [] }
    for (let round = 0; round <= ROUNDS; round++)
      for (const [who, server] of /** @type {const} */ ([
        ['bare', bare],
        ['onbook', host],
      ])) {
        const before = cpuOf(server.pid)
        const { rate, p99, requests } = await load(server, calls, { connections: CONNECTIONS, ms: MS })
        // The first round warms up.
        if (round > 0) taken[who].push({ rate, p99, cpu: ((cpuOf(server.pid) - before) * 1_000) / requests })
      }
    await bare.stop()
    const of = (/** @type {'bare' | 'onbook'} */ who, /** @type {'rate' | 'p99' | 'cpu'} */ what) =>
      median(taken[who].map(one => one[what]))
    rows.push([
      name,
      ...[number(of('bare', 'rate'), 0), number(of('onbook', 'rate'), 0), number(of('onbook', 'rate') / of('bare', 'rate'))],
      ...[number(of('bare', 'p99')), number(of('onbook', 'p99')), number(of('onbook', 'p99') / of('bare', 'p99'))],
      ...[number(of('bare', 'cpu'), 0), number(of('onbook', 'cpu'), 0), number(of('bare', 'cpu') / of('onbook', 'cpu'))],
    ])
  }
  table(`Calls, authenticated, ${CONNECTIONS} connections`, rows)
  console.log(`  resident memory of the host at most: ${number(memoryOf(host.pid).most, 0)} MB`)
  await host.stop()
  drop(folder)
}

/** @param {import('./processes.mjs').Server} server @param {import('./load.mjs').Call | undefined} call */
async function answerOf({ url, keys }, call) {
  const { method, path, body } = /** @type {import('./load.mjs').Call} */ (call)
  const headers = { authorization: `Bearer ${keys[0]}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const answer = await fetch(new URL(path, url), { method, headers, ...(body === undefined ? {} : { body }) })
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.text()
}
