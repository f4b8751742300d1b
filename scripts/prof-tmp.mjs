import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { PRODUCT_PROJECTIONS } from '../dist/engine/projections.js'
import { sqliteStore } from '../dist/adapters/sqlite-store/sqlite-store.js'
import { workerValidator } from '../dist/adapters/worker-validator.js'
import { runWork } from '../dist/engine/runs/work.js'
import { readWorkflow } from '../dist/core/workflow/read-workflow.js'
import { documentOf, reply, inputsOf } from './bench/runs/story.mjs'
const { workflow } = readWorkflow(documentOf(1))
const folder = mkdtempSync('/tmp/prof-')
const store = sqliteStore(folder + '/onbook.db', () => new Date().toISOString(), PRODUCT_PROJECTIONS)
const validator = workerValidator()
const work = runWork({ store, models: { call: async () => reply() }, secrets: () => ({ get: async () => null }), validator, bindings: new Map(), grants: [], hostCatalog: null, policy: () => [], wait: async () => {}, now: Date.now, newId: randomUUID, failed: e => { throw e }, owner: 'b', world: { hostDefaults: {}, agentBindings: true, roles: null, model: { provider: 'bench', model: 'small' }, repository: null } })
let n = 0
async function caller(count) { for (let i = 0; i < count; i++) { const run = ++n; const place = { tenant: 'default', runId: `run-${run}`, actor: 'bench' }; await work.create(place, { workflow, inputs: inputsOf(run) }); await work.quiet('default', place.runId) } }
await Promise.all(Array.from({ length: 64 }, () => caller(5)))
for (let r = 0; r < 3; r++) { const before = process.cpuUsage(); const start = n; await Promise.all(Array.from({ length: 64 }, () => caller(20))); const { user, system } = process.cpuUsage(before); console.log(((user + system) / 1000 / (n - start)).toFixed(3), 'ms cpu a run', (user/1000/(n-start)).toFixed(3)) }
await work.close(); await validator.close(); await store.close()
