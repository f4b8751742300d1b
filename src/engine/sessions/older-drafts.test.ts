// A tool whose parameters name an older draft is adopted and judged; one that would mean something else is not.
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { scriptedChat } from '../../adapters/chat/scripted-chat.ts'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { digestText, type Json } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { sessionStream } from '../../core/session/events.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import { PRODUCT_PROJECTIONS } from '../record/projections.ts'
import { runWork } from '../runs/work.ts'
import { commitChanges } from '../workspaces/commit.ts'

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const place = { tenant: 'acme', session: 'writer', actor: 'ada' }
const encode = (text: string) => new TextEncoder().encode(text)
const validator = sharedValidator()
afterAll(() => validator.close())

/** The session's events of a type, after the tool was synced, applied and called. */
async function called(parameters: Json, args: Json, wanted: string): Promise<readonly Json[]> {
  const store = memoryStore(() => '2026-01-01T00:00:00.000Z', PRODUCT_PROJECTIONS)
  const descriptor = { name: 'look', description: 'Looks.', inputSchema: {} }
  const work = runWork({
    store,
    owner: 'test',
    world: WORLD,
    models: scriptedChat('s.yaml', `replies:\n  - toolCalls: [{ toolName: look, arguments: ${JSON.stringify(args)} }]\n  - Done.\n`),
    secrets: () => ({ get: async () => null }),
    validator,
    bindings: new Map([['look', { descriptor, run: async () => 'found' }]]),
    grants: [{ tools: ['look'] }],
    hostCatalog: null,
    policy: () => EVERYTHING,
    wait: async () => {},
    now: Date.now,
    newId: randomUUID,
    failed: error => {
      throw error
    },
  })
  const files = { 'tools/catalogs/default.json': JSON.stringify([{ name: 'look', parameters }]) }
  const changes = Object.entries(files).map(([path, text]) => ({ path, write: encode(text) }))
  await commitChanges(store, { ...place, policy: EVERYTHING }, { workspace: 'desk', changes })
  await work.sessions.submit(place, { type: 'create', session: 'writer', config: { ...emptyConfig, provider: 'scripted', model: 's' } })
  await work.sessions.submit(place, {
    type: 'requestSync',
    selection: { workspace: { name: 'desk', version: null }, prelude: null, catalog: 'default' },
  })
  await work.sessions.quiet('acme', 'writer')
  await work.sessions.submit(place, { type: 'requestApply', when: 'immediate_if_idle' })
  const asked = { session: 'writer', input: digestText('Look.'), overrides: null, interactive: false, objects: [encode('Look.')] }
  await work.ask({ tenant: 'acme', runId: 'r1', actor: 'ada' }, asked).catch(() => {})
  await work.quiet('acme', 'r1')
  await work.close()
  const found: Json[] = []
  for (const stream of [sessionStream('writer'), runStream('r1')])
    for await (const { event } of store.read('acme', stream, -1)) if (event.type === wanted) found.push(event.payload)
  return found
}

describe('a tool of draft-07', () => {
  const parameters = {
    $schema: DRAFT_07,
    type: 'object',
    properties: { n: { $ref: '#/definitions/n' } },
    definitions: { n: { type: 'number' } },
  }

  it('is judged by its schema', async () => {
    expect(await called(parameters, { n: 1 }, 'call.judged')).toMatchObject([{ verdict: { decision: 'allowed' } }])
    expect(await called(parameters, { n: 'one' }, 'call.judged')).toMatchObject([{ verdict: { decision: 'refused' } }])
  })

  it('is not adopted when its schema means something else today', async () => {
    const failed = await called({ $schema: DRAFT_07, properties: { n: { items: [{}] } } }, {}, 'workspace.syncFailed')
    expect(failed).toMatchObject([{ code: 'catalog_invalid', detail: expect.stringContaining('/properties/n/items means something else') }])
  })
})
