// @ts-check
// Embeds runs whose agents work on a repo: the tools are bound, shown, granted, and asked for by the role; and one call is still refused.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  loadWorkflow,
  PRODUCT_PROJECTIONS,
  publishWorkflow,
  repoTools,
  runWork,
  scriptedChat,
  scrubKnown,
  sqliteStore,
  workerValidator,
} from 'onbook'

const [repo = 'repo', data = '.onbook'] = process.argv.slice(2)
mkdirSync(join(repo, 'src'), { recursive: true })
writeFileSync(join(repo, 'src/greet.js'), "console.log('Hello')\n")
mkdirSync(data, { recursive: true, mode: 0o700 })
const store = sqliteStore(join(data, 'onbook.db'), () => new Date().toISOString(), PRODUCT_PROJECTIONS)

// 1. Four of the five tools, over this repo and nothing else. The record is hidden from them.
const tools = repoTools(repo, { hide: [resolve(data)] }).filter(({ descriptor }) => descriptor.name !== 'command')

// 2. Whatever does the work is given them: bound, shown to models, granted by the application's own policy.
const validator = workerValidator()
const runs = runWork({
  bindings: new Map(tools.map(tool => [tool.descriptor.name, tool])),
  hostCatalog: tools.map(({ descriptor }) => descriptor),
  grants: [{ tools: ['read_file', 'list_files', 'write_file'] }],
  scrub: scrubKnown({ environment: process.env }),
  store,
  owner: `app-${randomUUID()}`,
  world: { hostDefaults: {}, agentBindings: true, roles: null, model: { provider: 'scripted', model: 'small' }, repository: null },
  models: scriptedChat('repo.yaml', script()),
  secrets: () => ({ get: async () => null }),
  validator,
  policy: () => [],
  now: Date.now,
  newId: randomUUID,
  wait: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
  failed: error => console.error(error),
})

// 3. A run of one node. Its role asks for what the gate then judges, call by call.
const workflow = { id: 'greeting', objective: 'Greet the world.', nodes: [{ id: 'coder', role: 'implementer' }] }
await publishWorkflow(store, { tenant: 'default', actor: 'app' }, workflow)
const found = await loadWorkflow(store, 'default', 'greeting')
if (found === null) throw new Error('the workflow is gone')
await runs.create({ tenant: 'default', runId: 'greeting-1', actor: 'app' }, { workflow: found.workflow })
await runs.quiet('default', 'greeting-1')
for await (const { event } of store.read('default', 'run/greeting-1', -1)) {
  const payload = /** @type {any} */ (event.payload)
  if (event.type !== 'call.judged') continue
  const failed = payload.verdict.conditions.find((/** @type {any} */ one) => one.outcome === 'failed')
  console.log(`${payload.tool}: ${payload.verdict.decision}${failed === undefined ? '' : `, for ${failed.reason}`}`)
}

await runs.close()
await validator.close()
await store.close()

function script() {
  const call = (/** @type {string} */ toolName, /** @type {object} */ given) => ({ toolName, arguments: given })
  const calls = [
    call('read_file', { path: 'src/greet.js' }),
    call('write_file', { path: 'src/greet.js', content: "console.log('Hello, world')\n" }),
    call('delete_file', { path: 'src/greet.js' }),
  ]
  return JSON.stringify({ replies: [{ toolCalls: calls }, { text: 'Done.' }] })
}
