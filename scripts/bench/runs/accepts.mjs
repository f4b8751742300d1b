// @ts-check
// POST /v1/runs, authenticated: answered when the run is on disk. Beside it, a bare server that reads the same bytes and answers as many.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { publishWorkflow } from '../../../dist/engine/definitions/workflows.js'
import { makeLibrary } from '../host/library.mjs'
import { load } from '../host/load.mjs'
import { cpuOf, drop, freshFolder, startBare, startHost } from '../host/processes.mjs'
import { median, number, table } from '../measuring/measure.mjs'
import { openStore, TENANT } from '../sessions/story.mjs'
import { medianRatio, rounds } from './rounds.mjs'
import { documentOf, inputsOf, SAID } from './story.mjs'

const CONNECTIONS = 16
const MS = 1_000
/** A host is as fast as it gets after some thousand requests; a bare server after a few. */
const WARM_MS = 5_000
/** Seldom: asking is work, too. */
const LOOK_EVERY_MS = 50
/** Different inputs, so that each is stored. */
const BODIES = 500

/** One node. What is passed over is accepted like any other, and leaves nothing to do behind the answer. @param {string} id @param {boolean} disabled */
const workflow = (id, disabled) => {
  const document = documentOf(1)
  return { ...document, id, nodes: document.nodes.map(node => ({ ...node, disabled, provider: 'scripted', model: 'script' })) }
}

/** @param {string} workflowId */
const callsOf = workflowId =>
  Array.from({ length: BODIES }, (_, n) => ({
    method: 'POST',
    path: '/v1/runs',
    body: JSON.stringify({ workflowId, inputs: inputsOf(n + 1_000) }),
  }))

/** @param {{ full: boolean }} options */
export async function benchAccepts({ full }) {
  const folder = freshFolder()
  const keys = await makeLibrary(folder, 0, Array(CONNECTIONS).fill(TENANT))
  const store = openStore(folder)
  const writer = { tenant: TENANT, actor: 'bench' }
  for (const [id, disabled] of /** @type {const} */ ([
    ['accepted', true],
    ['performed', false],
  ]))
    await publishWorkflow(store, writer, workflow(id, disabled))
  await store.close()
  const script = join(folder, 'script.yaml')
  writeFileSync(script, `replies:\n  - match: {}\n    text: ${JSON.stringify(SAID)}\n`)
  const host = await startHost(folder, keys, ['--script', script])
  const answer = await answerOf(host, callsOf('accepted')[0]?.body ?? '')
  const bare = await startBare(answer, keys)
  await load(host, callsOf('accepted'), { connections: CONNECTIONS, ms: WARM_MS })

  /** Milliseconds of processor time a request, round by round. @type {Record<string, number[]>} */
  const cpu = {}
  /** @param {import('../host/processes.mjs').Server} server @param {string} workflowId @param {string} name */
  const measured = (server, workflowId, name) => async () => {
    const before = cpuOf(server.pid)
    const started = performance.now()
    const { requests } = await load(server, callsOf(workflowId), { connections: CONNECTIONS, ms: MS })
    if (name === 'performed') await allEnded(server)
    cpu[name] = [...(cpu[name] ?? []), (cpuOf(server.pid) - before) / requests]
    return (requests * 1_000) / (performance.now() - started)
  }
  const taken = await rounds(
    {
      bare: measured(bare, 'accepted', 'bare'),
      accepted: measured(host, 'accepted', 'accepted'),
    },
    full ? 15 : 7,
  )
  const behind = await rounds(
    { bare: measured(bare, 'performed', 'bare'), performed: measured(host, 'performed', 'performed') },
    full ? 5 : 2,
  )
  const row = (
    /** @type {string} */ name,
    /** @type {keyof typeof cpu} */ key,
    /** @type {readonly number[]} */ rates,
    /** @type {string} */ ratio,
  ) => [name, number(median(rates), 0), number(median(cpu[key] ?? []) * 1_000, 0), ratio]
  table(`Accepting runs over HTTP, ${CONNECTIONS} connections`, [
    ['', 'runs/s', 'µs cpu', 'ratio'],
    row('bare node:http, as many bytes', 'bare', taken.bare, ''),
    row('onbook, on disk before the answer', 'accepted', taken.accepted, number(medianRatio(taken.accepted, taken.bare))),
    row('onbook, until all of them have ended', 'performed', behind.performed, number(medianRatio(behind.performed, behind.bare))),
  ])
  await Promise.all([bare.stop(), host.stop()])
  drop(folder)
}

/** @param {import('../host/processes.mjs').Server} server */
async function allEnded({ url, keys }) {
  for (;;) {
    const answer = await fetch(new URL('/v1/runs?status=running&limit=1', url), { headers: { authorization: `Bearer ${keys[0]}` } })
    const { items } = /** @type {{ items: readonly unknown[] }} */ (await answer.json())
    if (items.length === 0) return
    await wait(LOOK_EVERY_MS)
  }
}

/** @param {import('../host/processes.mjs').Server} server @param {string} body */
async function answerOf({ url, keys }, body) {
  const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' }
  const answer = await fetch(new URL('/v1/runs', url), { method: 'POST', headers, body })
  if (answer.status !== 201) throw new Error(`POST /v1/runs answered ${answer.status}: ${await answer.text()}`)
  return answer.text()
}
