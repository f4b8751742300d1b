// The client against the host itself.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../adapters/sqlite-store/sqlite-store.ts'
import { SCOPES } from '../core/access/keys.ts'
import { createKey } from '../engine/access.ts'
import { PRODUCT_PROJECTIONS } from '../engine/projections.ts'
import { createHost } from '../host/app.ts'
import { DEFAULT_CONFIG } from '../host/config.ts'
import { testSessions } from '../testing/test-sessions.ts'
import { type Client, createClient } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'onbook-client-'))
const clock = (): string => new Date().toISOString()
const store = sqliteStore(join(folder, 'onbook.db'), clock, PRODUCT_PROJECTIONS)
const sessions = testSessions(store)
const app = createHost({ store, clock, config: DEFAULT_CONFIG, sessions })
let client: Client

beforeAll(async () => {
  const { key } = await createKey(store, (bytes, as) => randomBytes(bytes).toString(as), { tenant: 'acme', scopes: SCOPES, actor: 'test' })
  client = createClient({ url: await app.listen({ host: '127.0.0.1', port: 0 }), key })
})
afterAll(async () => {
  await app.close()
  await sessions.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

it('writes, labels, reads, renders, resolves and removes', async () => {
  const template = {
    templateId: 'writer',
    version: '1.0.0',
    kind: 'system' as const,
    text: 'Write about {{topic}}.',
    variables: [{ name: 'topic', type: 'string' as const, required: true }],
  }
  const { tag } = await client.prompts.create(template)
  await expect(client.prompts.create(template)).rejects.toMatchObject({ code: 'template_exists', status: 409 })
  expect(await client.prompts.replace({ ...template, version: '1.1.0' }, { ifMatch: tag! })).toMatchObject({
    template: { version: '1.1.0' },
  })
  await client.labels.move('writer', 'production', '1.0.0', { why: 'first' })

  expect(await client.prompts.get('prompt:writer@production')).toMatchObject({
    ref: 'prompt:writer@1.0.0',
    tag,
    freshness: { stale: false },
  })
  expect((await client.prompts.get('prompt:writer')).template.version).toBe('1.1.0')
  expect((await client.prompts.get('prompt:writer')).template.version).toBe('1.1.0')
  expect(await client.labels.history('writer')).toMatchObject([{ label: 'production', from: null, to: '1.0.0', why: 'first' }])
  const listed: string[] = []
  for await (const { version } of client.prompts.list()) listed.push(version)
  expect(listed).toContain('1.1.0')

  const rendered = await client.render({ ref: 'prompt:writer@1.0.0', variables: { topic: 'owls' } })
  expect(rendered).toMatchObject({ composed: 'Write about owls.', refs: ['prompt:writer@1.0.0'] })
  const { resolutions } = await client.resolve({ node: { nodeId: 'n' }, kind: 'system', runOverrides: { system: 'prompt:writer' } })
  expect(resolutions[0]!.resolved).toMatchObject({ templateId: 'writer', version: '1.1.0' })

  await client.labels.remove('writer', 'production')
  await expect(client.labels.get('writer', 'production')).rejects.toMatchObject({ code: 'label_missing' })
  await client.prompts.remove('writer')
  await expect(client.prompts.get('prompt:writer')).rejects.toMatchObject({ code: 'prompt_template_not_found', status: 404 })
})

it('makes a session, runs it, follows it, and says what was said', async () => {
  const { digest } = await client.objects.put(new TextEncoder().encode('[{"role":"system","content":"Be brief."}]'))
  expect(new TextDecoder().decode(await client.objects.get(digest))).toContain('Be brief.')
  const { session } = await client.sessions.create({ config: { provider: 'scripted', model: 'small', promptDigests: [digest] } })
  const { seq } = await client.sessions.get(session)
  expect(await client.sessions.run(session, { input: 'Hello', interactive: true })).toMatchObject({ run: 1 })
  const until = async (type: string, after: number) => {
    for await (const event of client.sessions.events(session, { after: String(after) })) if (event.type === type) return
  }
  await until('run.waiting', seq)
  const { seq: waiting } = await client.sessions.get(session)
  expect(await client.sessions.provideInput(session, { role: 'user', content: 'More.' })).toMatchObject({ run: 1 })
  await until('run.waiting', waiting)
  const { entries } = await client.sessions.transcript(session, { limit: 3 })
  expect(entries.map(({ messages }) => messages[0]?.role)).toEqual(['user', 'assistant', 'user'])
  await client.sessions.command(session, { kind: 'cancel', reason: 'enough' })
  expect((await client.sessions.get(session)).lifecycle).toBe('cancelled')
  const names: string[] = []
  for await (const one of client.sessions.list()) names.push(one.session)
  expect(names).toEqual([session])
  expect(await client.sessions.apply(session)).toMatchObject({ outcome: 'refused', code: 'nothing_pending' })
  await expect(client.sessions.sync(session)).rejects.toMatchObject({ code: 'workspace_unset', status: 422 })
  await expect(client.sessions.get('nobody')).rejects.toMatchObject({ code: 'session_missing', status: 404 })
})
