// Tests that the cost of a request follows its size: every list, text and map has a limit, and no answer is out of proportion.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import { unboundedIn } from '../../testing/oracles/unbounded-schema.ts'

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: unknown }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: unknown }>> }
}

/** Schemas of files that only the author's own commands write and read, on the author's machine. */
const OWN_FILES = ['config.schema.json', 'registry.schema.json']

let host: TestHost
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
/** Answers up to this size are never out of proportion. */
const FLOOR = 1024 * 1024
const proportion = (answer: unknown, request: unknown): number => bytesOf(answer) / Math.max(50 * bytesOf(request), FLOOR)

describe('openwop D1: schemas', () => {
  it('openwop D1: no request schema has an array, a string or a map without a limit', async () => {
    const { body } = await host.ask('GET', '/v1/openapi.json')
    const operations = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    )
    expect(operations.length).toBeGreaterThan(70)
    const unbounded = operations.flatMap(([name, { parameters = [], requestBody }]) => [
      // The limit on all headers of a request bounds each of them.
      ...parameters
        .filter(one => one.in !== 'header')
        .flatMap(({ in: where, name: key, schema }) => unboundedIn(schema, { freeValues: true }, `${name} ${where}:${key}`)),
      ...Object.entries(requestBody?.content ?? {})
        .filter(([type]) => type === 'application/json')
        .flatMap(([, { schema }]) => unboundedIn(schema ?? true, { freeValues: true }, `${name} body`)),
    ])
    expect(unbounded).toEqual([])
  })

  it('openwop D1: no format of a file has an array, a string or a map without a limit', () => {
    const files = readdirSync('schemas').filter(name => name.endsWith('.json') && !OWN_FILES.includes(name))
    expect(files.length).toBeGreaterThan(5)
    const read = (name: string): unknown => JSON.parse(readFileSync(`schemas/${name}`, 'utf8'))
    expect(files.flatMap(name => unboundedIn(read(name), { freeValues: false }, name))).toEqual([])
  })

  it('finds what has no limit', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: 'array', items: { type: 'string', pattern: '^a+$' } },
        b: { type: 'object' },
        c: {},
        d: { type: 'string', pattern: '^a{1,4}$' },
      },
    }
    expect(unboundedIn(schema, { freeValues: true }).toSorted()).toEqual([
      '/a/[]: maxLength',
      '/a: maxItems',
      '/b/{}: no schema',
      '/b: maxProperties',
      '/c: no schema',
    ])
  })
})

describe('openwop D1: POST /v1/prompts:resolve', () => {
  const asking = (config: object, more: object = {}) => ({ node: { nodeId: 'n', config }, kind: 'few-shot', ...more })
  const resolve = (body: object) => host.ask('POST', '/v1/prompts:resolve', { body })

  it.each(['fewShotPromptRefs', 'additionalPromptRefs'])('openwop D1: thousands of %s are refused', async key => {
    const { status, body } = await resolve(asking({ [key]: Array(5_000).fill('prompt:f') }))
    expect([status, body.error]).toEqual([400, 'validation_error'])
    expect(bytesOf(body)).toBeLessThan(1_000)
  })

  it('openwop D1: thousands of refs in the config of a workflow node are refused', async () => {
    const node = { id: 'n', objective: 'Write.', config: { fewShotPromptRefs: Array(5_000).fill('prompt:f') } }
    const { status } = await host.ask('PUT', '/v1/workflows/w', { body: { id: 'w', nodes: [node] } })
    expect(status).toBe(400)
  })

  it('openwop D1: a ref that is long is refused', async () => {
    const { status } = await resolve(asking({}, { workflowDefaults: { 'few-shot': `prompt:f@1.0.0-${'x'.repeat(10_000)}` } }))
    expect(status).toBe(400)
  })

  it('openwop D1: the largest request that is admitted has an answer in proportion', async () => {
    const long = `prompt:f@1.0.0-${'x'.repeat(113)}`
    const layers = { system: long, user: long, 'few-shot': long, 'schema-hint': long }
    const body = asking(
      { agentId: 'local.a', fewShotPromptRefs: Array(100).fill('prompt:f'), additionalPromptRefs: Array(100).fill('prompt:f') },
      { agent: { agentId: 'local.a', promptOverrides: layers }, workflowDefaults: layers },
    )
    const answer = await resolve(body)
    expect(answer.status).toBe(200)
    expect(answer.body.resolutions).toHaveLength(200)
    expect(proportion(answer.body, body)).toBeLessThan(1)
  })

  it('openwop D1: a ref object with a long version is explained, not repeated', async () => {
    const ref = { templateId: 'f', version: `1.0.0-${'x'.repeat(100_000)}` }
    const body = asking({ fewShotPromptRefs: Array(100).fill('prompt:f') }, { workflowDefaults: { 'few-shot': ref } })
    expect(proportion((await resolve(body)).body, body)).toBeLessThan(1)
  })
})

it('openwop D1: a small render request does not have an answer of megabytes', async () => {
  const text = '{{#each xs}}{{#each @root.xs}}{{#each @root.xs}}0123456789{{/each}}{{/each}}{{/each}}'
  const made = await host.ask('POST', '/v1/prompts', {
    body: { templateId: 'wide', version: '1.0.0', kind: 'system', text, variables: [{ name: 'xs', type: 'array', required: true }] },
  })
  expect(made.status).toBe(201)
  const render = async (length: number) => {
    const body = { ref: 'prompt:wide', variables: { xs: Array(length).fill(1) } }
    const answer = await host.ask('POST', '/v1/prompts:render', { body })
    expect(proportion(answer.body, body)).toBeLessThan(1)
    return answer.status
  }
  expect(await render(20)).toBe(200)
  expect(await render(60)).toBe(400)
})
