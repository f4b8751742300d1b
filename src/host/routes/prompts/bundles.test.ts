// Tests installed bundles over HTTP: they are read-only, in the library with their name.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { soundBundle } from '../../../engine/bundle/check-bundle.ts'
import { installBundle } from '../../../engine/bundle/install-bundle.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'
import { bundleFiles, makeSigner, manifestOf, prompt, trusting } from '../../../testing/stories/sample-bundle.ts'

const acme = makeSigner()
const [ONE, TWO] = ['vendor.acme.prompts', 'vendor.other.prompts']
const variables = [{ name: 'topic', type: 'string', required: true }]
let host: TestHost

beforeAll(async () => {
  host = await startHost()
  const install = (manifest: object) =>
    installBundle(host.store, soundBundle(bundleFiles(manifest, acme), trusting([acme])), { tenant: 'acme', actor: 'test' })
  await install(
    manifestOf(ONE, '1.0.0', [
      prompt('writer', { text: 'One writes about {{topic}} for {{tenantId}}.', variables, tags: ['default'] }),
      prompt('critic'),
      prompt('critic', { version: '1.10.0', text: 'I am newer.' }),
    ]),
  )
  await install(manifestOf(TWO, '3.0.0', [prompt('writer', { text: 'Two writes about {{topic}}.', variables })]))
})
afterAll(() => host.close())

const render = (ref: unknown) => host.ask('POST', '/v1/prompts:render', { body: { ref, variables: { topic: 'tides' } } })

it('the host says that it takes bundles', async () => {
  expect((await host.ask('GET', '/.well-known/openwop')).body.prompts.packsSupported).toBe(true)
})

it('their templates are listed with the bundle they came with, one of each library', async () => {
  const { body } = await host.ask('GET', '/v1/prompts?source=pack')
  const shown = body.items.map((one: Record<string, Record<string, unknown>>) => [one.templateId, one.version, one.meta])
  expect(shown).toEqual([
    ['critic', '1.10.0', { source: 'pack', packName: ONE, packVersion: '1.0.0' }],
    ['writer', '1.0.0', { source: 'pack', packName: ONE, packVersion: '1.0.0' }],
    ['writer', '1.0.0', { source: 'pack', packName: TWO, packVersion: '3.0.0' }],
  ])
})

it.each([
  ['POST', '/v1/prompts', template('critic', { version: '9.0.0' })],
  ['PUT', '/v1/prompts/critic', template('critic', { version: '9.0.0' })],
  ['DELETE', '/v1/prompts/critic', undefined],
])('%s %s is forbidden: nobody changes what a bundle brought', async (method, path, body) => {
  const answered = await host.ask(method, path, body === undefined ? {} : { body })
  expect([answered.status, answered.body.error]).toEqual([403, 'template_read_only'])
  expect((await host.ask('GET', '/v1/prompts/critic')).body.text).toBe('I am newer.')
})

it.each(['prompt:writer', 'prompt:writer@1.0.0', { templateId: 'writer' }])('%j could mean either bundle, and is refused', async ref => {
  const rendered = await render(ref)
  expect([rendered.status, rendered.body.error]).toEqual([400, 'prompt_ref_ambiguous'])
  const read = await host.ask('GET', '/v1/prompts/writer')
  expect([read.status, read.body.error]).toEqual([400, 'prompt_ref_ambiguous'])
})

it('two versions in one bundle are not ambiguous', async () => {
  expect((await render('prompt:critic')).body).toMatchObject({ composed: 'I am newer.', refs: ['prompt:critic@1.10.0'] })
  expect((await render('prompt:critic@1.0.0')).body.composed).toBe('I am critic.')
})

it('are rendered by the name of the bundle, with the context they speak of', async () => {
  const [one, two] = await Promise.all([ONE, TWO].map(libraryId => render({ templateId: 'writer', libraryId })))
  expect([one!.body.composed, two!.body.composed]).toEqual(['One writes about tides for acme.', 'Two writes about tides.'])
  const read = await host.ask('GET', `/v1/prompts/writer?libraryId=${TWO}&version=1.0.0`)
  expect([read.status, read.body.text]).toEqual([200, 'Two writes about {{topic}}.'])
})

it('are resolved by the name of the bundle, as a ref and as an agent library', async () => {
  const resolve = async (body: object) =>
    (await host.ask('POST', '/v1/prompts:resolve', { body: { kind: 'system', ...body } })).body.resolutions[0]
  const byRef = await resolve({ node: { nodeId: 'n', config: { systemPromptRef: { templateId: 'writer', libraryId: TWO } } } })
  expect(byRef.resolved).toMatchObject({ libraryId: TWO, templateId: 'writer', version: '1.0.0' })
  const byAgent = await resolve({
    node: { nodeId: 'n', config: { agentId: 'vendor.acme.agent' } },
    agent: { agentId: 'vendor.acme.agent', promptLibraryRef: ONE },
  })
  expect(byAgent.resolved).toMatchObject({ libraryId: ONE, templateId: 'writer' })
  const unclear = await resolve({ node: { nodeId: 'n', config: { systemPromptRef: 'prompt:writer' } } })
  expect([unclear.resolved, unclear.fault.code]).toEqual([null, 'prompt_ref_ambiguous'])
})

it('no other tenant sees them', async () => {
  const { key } = await host.makeKey('other')
  expect((await host.ask('GET', '/v1/prompts?source=pack', { key })).body.items).toEqual([])
  expect((await host.ask('GET', `/v1/prompts/writer?libraryId=${ONE}`, { key })).status).toBe(404)
})
