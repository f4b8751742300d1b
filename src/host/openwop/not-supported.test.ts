// Tests every row of "Not here" in docs/reference/openwop-support.md against a host: nothing on that list exists.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SCOPES } from '../../core/access/keys.ts'
import { runToEnd } from '../../testing/hosts/host-runs.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'
import type { RunEventDoc } from '../../wire/openwop/run-event.ts'

interface NotHere {
  readonly endpoints: Readonly<Record<string, readonly string[]>>
  readonly verbs: readonly string[]
  readonly nodeTypes: readonly string[]
  readonly events: readonly string[]
  readonly runHeaders: readonly string[]
  readonly runFields: readonly string[]
  readonly configurable: readonly string[]
  readonly scopes: readonly string[]
}
const MISSING = JSON.parse(readFileSync('spec/openwop/not-here.json', 'utf8')) as NotHere
const split = (request: string) => request.split(' ') as [method: string, path: string]
const REQUESTS = Object.values(MISSING.endpoints).flat().map(split)

let host: TestHost
let events: readonly RunEventDoc[]
const workflow = (id: string, typeId: string) => ({ id, objective: 'Go on.', nodes: [{ id: 'n', typeId }] })
beforeAll(async () => {
  host = await startHost()
  await host.ask('PUT', '/v1/workflows/plain', { body: workflow('plain', 'onbook.agent') })
  events = await runToEnd(host.ask, { workflowId: 'plain' })
})
afterAll(() => host.close())

/** Parameters have different names here and in OpenWOP: only their position counts. */
const shapeOf = (path: string): string =>
  path
    .replaceAll('::', ':')
    .split('/')
    .map(part => part.replace(/^(:\w+|\{\w+\})/, '*'))
    .join('/')

it.each(REQUESTS)('%s %s is not a route, and answers 404 for a run that exists', async (method, path) => {
  expect(host.routes.filter(route => shapeOf(route.url) === shapeOf(path)).map(({ url }) => url)).toEqual([])
  expect([404, 405]).toContain(await statusOf(method, path))
})

it.each(MISSING.verbs.map(split))('%s %s is not a verb of a run, and answers 400', async (method, path) =>
  expect(await statusOf(method, path)).toBe(400),
)

async function statusOf(method: string, path: string): Promise<number> {
  const asked = path.replace('{runId}', events[0]!.runId).replaceAll(/\{\w+\}/g, 'a')
  return (await host.ask(method, asked, method === 'GET' || method === 'DELETE' ? {} : { body: {} })).status
}

it.each(MISSING.nodeTypes)('the node type %s is refused', async typeId => {
  const { status, body } = await host.ask('PUT', '/v1/workflows/typed', { body: workflow('typed', typeId) })
  expect([status, body.error]).toEqual([400, 'node_type_unknown'])
})

const started = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  host.ask('POST', '/v1/runs', { body: { workflowId: 'plain', ...body }, headers })

it.each(MISSING.runHeaders)('the header %s is refused', async header =>
  expect((await started({}, { [header]: 'enforce' })).status).toBe(400),
)
it.each(MISSING.runFields)('the field %s of a run is refused', async field =>
  expect((await started({ [field]: 'https://example.test/' })).status).toBe(400),
)
it.each(MISSING.configurable)('configurable.%s is refused', async field =>
  expect((await started({ configurable: { [field]: {} } })).status).toBe(400),
)

it('no key has a scope that is listed, and no event has a type that is listed', () => {
  expect(MISSING.scopes.filter(scope => (SCOPES as readonly string[]).includes(scope))).toEqual([])
  expect(MISSING.events.filter(type => events.some(event => event.type === type))).toEqual([])
  const wire = readFileSync('src/wire/openwop/run-event.ts', 'utf8')
  expect(MISSING.events.filter(type => wire.includes(`'${type}'`))).toEqual([])
})

it('the page has every row', () => {
  const page = readFileSync('docs/reference/openwop-support.md', 'utf8')
  const rows = [MISSING.verbs, MISSING.nodeTypes, MISSING.events, MISSING.configurable, MISSING.scopes].flat()
  expect([...rows, ...Object.values(MISSING.endpoints).flat()].filter(row => !page.includes(`\`${row}\``))).toEqual([])
})
