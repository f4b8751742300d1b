// The definitions that OpenWOP's conformance suite expects of a host match OpenWOP's text, and are shipped once.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import type { Json } from '../../core/digest/digest.ts'
import { readPromptRef } from '../../core/resolve/prompt-ref.ts'
import type { Store } from '../../ports.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'
import { HOST_TENANT, versionsOf } from '../library/rows.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { publishConformance } from './conformance.ts'
import { loadWorkflow } from './workflows.ts'

let store: Store
beforeEach(() => {
  store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
})
afterEach(() => store.close())

const REF_KEYS = ['systemPromptRef', 'userPromptRef', 'schemaHintPromptRef', 'fewShotPromptRefs']

it('ships two workflows that OpenWOP takes, with prompts that are there', async () => {
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  const folder = 'schemas/openwop'
  for (const name of readdirSync(folder)) ajv.addSchema(JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as AnySchema)
  const isWorkflow = ajv.getSchema('https://openwop.dev/spec/v1/workflow-definition.schema.json')!
  const kinds: number[] = []
  for (const id of await publishConformance(store, 'onbook')) {
    const { workflow, digest } = (await loadWorkflow(store, 'anybody', id))!
    const document = JSON.parse(new TextDecoder().decode(await store.object(HOST_TENANT, digest))) as Json
    expect([isWorkflow(document), isWorkflow.errors]).toEqual([true, null])
    const [node] = workflow.nodes
    expect(node).toMatchObject({ id: 'writer', typeId: 'local.sample.demo.mock-ai' })
    const refs = REF_KEYS.flatMap(key => node!.config[key] ?? [])
    for (const written of refs) {
      const read = readPromptRef(written as Json)
      expect(read.ok && (await versionsOf(store, 'anybody', read.ref.templateId))).toHaveLength(1)
    }
    kinds.push(refs.length)
  }
  expect(kinds).toEqual([1, 5])
})

it('writes nothing the second time', async () => {
  const ids = await publishConformance(store, 'onbook')
  const before = store.moment()
  expect(await publishConformance(store, 'onbook')).toEqual(ids)
  expect(store.moment()).toBe(before)
})
