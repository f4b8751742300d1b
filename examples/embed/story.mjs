// @ts-check
// Embeds sessions in an application, with neither command line nor host: publish, sync, apply, run, and what changes when.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  commitChanges,
  folderTree,
  loadSession,
  PRODUCT_PROJECTIONS,
  performSync,
  publishTree,
  runWork,
  scriptedChat,
  sqliteStore,
  statCache,
  workerValidator,
  workspaceRead,
} from 'onbook'
import { catalogSync, digestText, EVERYTHING, emptyConfig, promptSync, readIndex, readMessages, schemaFault } from 'onbook/core'

const here = dirname(fileURLToPath(import.meta.url))
const [data = '.onbook'] = process.argv.slice(2)
mkdirSync(data, { recursive: true, mode: 0o700 })
const store = sqliteStore(join(data, 'onbook.db'), () => new Date().toISOString(), PRODUCT_PROJECTIONS)
const user = { tenant: 'default', policy: EVERYTHING }
const writer = { ...user, actor: 'app' }
const place = { tenant: 'default', session: 'editor', actor: 'app' }
const encode = (/** @type {string} */ text) => new TextEncoder().encode(text)

// 1. A folder becomes version 1 of a workspace.
const cache = statCache(join(data, 'desk.json'))
const first = await publishTree(store, writer, { workspace: 'desk', source: folderTree(join(here, 'desk'), cache) })
console.log(`Published desk, version ${first.version}: ${first.files} files.`)

// 2. The plans alone: what would be adopted? Nothing is; a plan only reads, and only what it declares.
const index = readIndex(readFileSync(join(here, 'desk', 'agent.workspace.json')))
if (!index.ok) throw new Error('the index is broken')
const selection = { workspace: { name: 'desk', version: null }, ...index.index.defaults }
for (const plan of [promptSync, catalogSync]) {
  const result = await performSync(store, user, plan, { selection, known: null, checkSchema: schemaFault })
  console.log(`${plan.name} (${plan.effects.join(', ')}): ${result.outcome}`)
}

// 3. A session, with the scripted model and one tool. The tool runs because it is shown, bound and granted.
const policy = () => EVERYTHING
const validator = workerValidator()
const work = runWork({
  store,
  owner: randomUUID(),
  world: { hostDefaults: {}, agentBindings: true, roles: null, model: null, repository: null },
  models: scriptedChat('script.yaml', readFileSync(join(here, 'script.yaml'), 'utf8')),
  secrets: () => ({ get: async () => null }),
  validator,
  bindings: new Map([['workspace.read', workspaceRead(store, policy)]]),
  grants: [{ tools: ['workspace.read'] }],
  hostCatalog: null,
  policy,
  now: Date.now,
  newId: randomUUID,
  wait: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
  failed: error => console.error(error),
})
await work.sessions.submit(place, { type: 'create', session: 'editor', config: { ...emptyConfig, provider: 'scripted', model: 'script' } })
await adopt()
await say('What is our style?')

// 4. A new version changes nothing until it is synced and applied.
const persona = encode('You are the day editor of {{outlet}}. Answer in one sentence.\n')
const second = await commitChanges(store, writer, {
  workspace: 'desk',
  changes: [{ path: 'prompts/templates/persona.md', write: persona }],
})
console.log(`Published desk, version ${second.version}.`)
await say('And now?')
await adopt()
await say('And after that?')

await work.close()
await validator.close()
await store.close()

/** Sync, then apply. */
async function adopt() {
  await work.sessions.submit(place, { type: 'requestSync', selection })
  await work.sessions.quiet(place.tenant, place.session)
  await work.sessions.submit(place, { type: 'requestApply', when: 'immediate_if_idle' })
  const { workspace } = (await loadSession(store, place.tenant, place.session)).state
  console.log(`Synced and applied: version ${workspace.active?.version} is active.`)
}

/** @param {string} text */
async function say(text) {
  const runId = randomUUID()
  const request = { session: place.session, input: digestText(text), overrides: null, interactive: false, objects: [encode(text)] }
  await work.ask({ tenant: place.tenant, runId, actor: place.actor }, request)
  await work.quiet(place.tenant, runId)
  const { steps, said, system } = await stepsOf(runId)
  console.log(`> ${text}\n< ${said}   (steps: ${steps}; the model was told: ${system})`)
}

/** How many there were, what the last one was made of, and what came of it. @param {string} runId */
async function stepsOf(runId) {
  let steps = 0
  let [said, system] = ['', '']
  for await (const { event } of store.read(place.tenant, `run/${runId}`, -1)) {
    const payload = /** @type {any} */ (event.payload)
    if (event.type === 'step.started') {
      steps++
      system = await textOf(payload.request.prelude[0])
    }
    if (event.type === 'step.settled' && payload.reply !== null) said = await textOf(payload.reply)
  }
  return { steps, said, system }
}

/** @param {import('onbook/core').Digest} digest */
async function textOf(digest) {
  const read = readMessages(await store.object(place.tenant, digest))
  const part = read.ok ? read.messages[0]?.content.find(one => one.type === 'text') : undefined
  return part?.type === 'text' ? part.text.trim() : ''
}
