// @ts-check
// What is measured: a folder of many files, and sessions of the scripted model.

import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { memoryStore, PRODUCT_PROJECTIONS, sqliteStore, workerValidator } from 'onbook'
import { emptyConfig } from '../../../dist/core/session/config.js'
import { EVERYTHING } from '../../../dist/core/workspace/policy.js'
import { runWork } from '../../../dist/engine/runs/work.js'

export const TENANT = 'default'
export const clock = () => new Date().toISOString()
export const user = { tenant: TENANT, policy: EVERYTHING }
export const writer = { ...user, actor: 'bench' }
export const config = { ...emptyConfig, provider: 'scripted', model: 'script' }
export const encode = (/** @type {string} */ text) => new TextEncoder().encode(text)

/** @param {string} folder */
export const openStore = folder => sqliteStore(join(folder, 'onbook.db'), clock, PRODUCT_PROJECTIONS)
export const inMemory = () => memoryStore(clock, PRODUCT_PROJECTIONS)

/** Files of one size in a hundred folders, each different. @param {string} folder @param {number} files @param {number} kilobytes */
export function writeFiles(folder, files, kilobytes) {
  for (let n = 0; n < files; n++) writeOne(folder, n, `file ${n}`, kilobytes)
}

/** @param {string} folder @param {number} n @param {string} text @param {number} kilobytes */
export function writeOne(folder, n, text, kilobytes) {
  const path = join(folder, `part-${n % 100}`, `file-${n}.md`)
  if (n < 100) mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Buffer.alloc(kilobytes * 1024, `${text}: some words of a document, again and again. `))
}

/** Says the same, always: what is measured is ours. @type {import('onbook').ChatModel} */
const model = {
  call: async () => ({
    status: 'ok',
    text: 'Good morning. The night ferry leaves half an hour later from May.',
    toolCalls: [],
    finishReason: { reason: 'stop' },
    usage: null,
    warnings: [],
    providerId: 'bench',
  }),
}

/** @param {import('onbook').Store} store @param {import('onbook').ChatModel} models @returns {import('../../../dist/engine/turns/performing.js').TurnParts} */
const partsOn = (store, models) => ({
  store,
  models,
  secrets: () => ({ get: async () => null }),
  validator: workerValidator(),
  bindings: new Map(),
  grants: [],
  hostCatalog: null,
  policy: () => EVERYTHING,
  wait: async () => {},
  now: Date.now,
  newId: randomUUID,
  failed: error => {
    throw error
  },
})

/** @param {import('onbook').Store} store @param {import('onbook').ChatModel} models */
export function workOn(store, models = model) {
  const parts = partsOn(store, models)
  const work = runWork({
    ...parts,
    owner: 'bench',
    world: { hostDefaults: {}, agentBindings: true, roles: null, model: { provider: 'bench', model: 'small' }, repository: null },
  })
  return {
    work,
    async close() {
      await work.close()
      await parts.validator.close()
    },
  }
}
