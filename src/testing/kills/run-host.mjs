// @ts-check
// A host with runs, for tests that kill it: models through the AI SDK, and one tool that leaves a line behind. From dist: it runs without a test runner.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { aiSdkChat } from '../../../dist/adapters/chat/ai-sdk-chat.js'
import { languageModel } from '../../../dist/adapters/models/ai-sdk-providers.js'
import { sqliteStore } from '../../../dist/adapters/sqlite-store/sqlite-store.js'
import { workerValidator } from '../../../dist/adapters/validator/worker-validator.js'
import { DEFAULT_POLICY } from '../../../dist/core/gate/host-policy.js'
import { EVERYTHING } from '../../../dist/core/workspace/policy.js'
import { workspaceRead } from '../../../dist/engine/bindings/workspace-read.js'
import { forkWork } from '../../../dist/engine/fork/forks.js'
import { PRODUCT_PROJECTIONS } from '../../../dist/engine/record/projections.js'
import { runWork } from '../../../dist/engine/runs/work.js'
import { createHost } from '../../../dist/host/app.js'
import { DEFAULT_CONFIG } from '../../../dist/host/config.js'
import { liveDeltas } from '../../../dist/host/hosted-sessions.js'

const [path = '', lines = '', owner = ''] = process.argv.slice(2)
// When whoever started it is gone.
process.stdin.on('end', () => process.exit()).resume()
/** @param {string} word */
const tell = word => process.stdout.write(`${word}\n`)

/** Cannot be done twice, and takes long enough to be killed in. @param {string} name @returns {import('../../ports.ts').Binding} */
const marking = name => ({
  descriptor: {
    name,
    description: 'Writes a line down.',
    inputSchema: { type: 'object', properties: { mark: { type: 'string' } }, required: ['mark'] },
  },
  async run({ arguments: given }) {
    const { mark } = /** @type {{ mark: string }} */ (given)
    await pause(5)
    appendFileSync(lines, `${mark}\n`)
    tell('noted')
    await pause(15)
    return { noted: mark }
  },
})

// Otherwise the first call of a host would wait for it, and most hosts do not live long.
await languageModel('openai-compatible', 'tiny')
const clock = () => new Date().toISOString()
const store = sqliteStore(path, clock, PRODUCT_PROJECTIONS)
const policy = () => EVERYTHING
const tools = [workspaceRead(store, policy), marking('note'), marking('sign')]
const bindings = new Map(tools.map(tool => [tool.descriptor.name, tool]))
const grants = [{ tools: ['workspace.read', 'note'] }, { tools: ['sign'], approval: true }]
const validator = workerValidator()
const live = liveDeltas()
/** @param {Error} error */
const failed = error => process.stderr.write(`${error.stack}\n`)
const runs = runWork({
  store,
  owner,
  world: {
    hostDefaults: {},
    agentBindings: true,
    roles: null,
    model: { provider: 'openai-compatible', model: 'tiny' },
    repository: null,
  },
  now: Date.now,
  newId: randomUUID,
  models: aiSdkChat(),
  secrets: () => ({ get: async () => null }),
  validator,
  bindings,
  grants,
  hostCatalog: tools.map(({ descriptor }) => descriptor),
  policy,
  wait: (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}),
  failed,
  onDelta: live.say,
})
const forks = forkWork({ store, validator, runs, hostDefaults: {}, failed })
const sessions = {
  work: runs.sessions,
  runs,
  forks,
  bindings,
  grants,
  policy: { policy: { ...DEFAULT_POLICY, grants }, lines: [] },
  live,
  validator,
}
const app = createHost({ store, clock, config: DEFAULT_CONFIG, sessions, logs: { level: 'error' } })
tell('opened')
// As `serve` does: before anybody can ask for more.
await runs.resume()
await forks.resume()
tell(await app.listen({ host: '127.0.0.1', port: 0 }))
