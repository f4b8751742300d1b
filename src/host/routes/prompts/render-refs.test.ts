// Tests :render over real HTTP: which template a ref resolves to, and which requests are refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestText } from '../../../core/digest/digest.ts'
import type { TemplateVariable } from '../../../core/library/template.ts'
import { publishTemplates } from '../../../engine/library/publish.ts'
import { HOST_TENANT } from '../../../engine/library/rows.ts'
import { startHost, type TestHost, template } from '../../../testing/hosts/start-host.ts'

let host: TestHost
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

let made = 0
async function publish(text: string, variables: readonly TemplateVariable[] = [], on = host): Promise<string> {
  const id = `render-${++made}`
  const { status } = await on.ask('POST', '/v1/prompts', { body: template(id, { text, variables }) })
  expect(status).toBe(201)
  return id
}
const render = (body: object, on = host) => on.ask('POST', '/v1/prompts:render', { body })
const text = (name: string, more: Partial<TemplateVariable> = {}): TemplateVariable => ({ name, type: 'string', required: false, ...more })

describe('what a user published', () => {
  it('is rendered, pinned and hashed', async () => {
    const id = await publish('Hi {{name}}', [text('name')])
    const { status, body } = await render({ ref: `prompt:${id}`, variables: { name: 'Ada' } })
    expect(status).toBe(200)
    expect(body).toEqual({
      hash: digestText('Hi Ada'),
      refs: [`prompt:${id}@1.0.0`],
      variableHashes: { name: digestText('Ada') },
      composed: 'Hi Ada',
      contentTrust: 'trusted',
    })
  })

  it('is rendered in the version that is asked for', async () => {
    const id = await publish('one')
    await host.ask('PUT', `/v1/prompts/${id}`, { body: template(id, { version: '2.0.0-rc.1', text: 'two', variables: [] }) })
    const composed = async (ref: unknown) => (await render({ ref, variables: {} })).body.composed
    expect(await composed(`prompt:${id}@1.0.0`)).toBe('one')
    expect(await composed(`prompt:${id}@2.0.0-rc.1`)).toBe('two')
    expect(await composed(`prompt:${id}`)).toBe('one')
    expect(await composed({ templateId: id, version: '1.0.0', libraryId: 'onbook' })).toBe('one')
  })

  it('is the same at any time, also where it asks for the time', async () => {
    const id = await publish('{{now}} {{tenantId}}', [text('now', { source: 'context' }), text('tenantId', { source: 'context' })])
    const once = await render({ ref: `prompt:${id}`, variables: {} })
    await new Promise(resolve => setTimeout(resolve, 5))
    expect((await render({ ref: `prompt:${id}`, variables: {} })).body).toEqual(once.body)
    expect(once.body.composed).toBe(' acme')
    expect((await render({ ref: `prompt:${id}`, variables: { now: 'noon' } })).body.composed).toBe('noon acme')
  })
})

describe('refusals', () => {
  let id: string
  beforeAll(async () => {
    id = await publish('{{need}}{{count}}{{key}}', [
      text('need', { required: true }),
      text('count', { type: 'number' }),
      text('key', { source: 'secret' }),
    ])
  })

  it.each([
    ['nothing for what is required', {}, 'prompt_variable_unresolved'],
    ['null for what is required', { need: null }, 'prompt_variable_unresolved'],
    ['a number for a text', { need: 1 }, 'prompt_variable_type_mismatch'],
    ['a text for a number', { need: 'x', count: '1' }, 'prompt_variable_type_mismatch'],
    ['a secret that can be no id', { need: 'x', key: 'sk not an id' }, 'prompt_variable_type_mismatch'],
  ])('%s', async (_, variables, code) => {
    const { status, body } = await render({ ref: `prompt:${id}`, variables })
    expect([status, body.error]).toEqual([400, code])
    expect(JSON.stringify(body)).not.toContain('sk not')
  })

  it.each([
    ['prompt:Not Valid!!', 400, 'prompt_ref_invalid'],
    ['prompt:writer@production', 400, 'prompt_ref_invalid'],
    [{ templateId: 'writer', colour: 'red' }, 400, 'prompt_ref_invalid'],
    ['', 400, 'prompt_ref_invalid'],
    ['prompt:nobody', 404, 'prompt_template_not_found'],
    ['prompt:nobody@1.0.0', 404, 'prompt_template_not_found'],
    [{ templateId: 'nobody', libraryId: 'elsewhere' }, 404, 'prompt_template_not_found'],
  ])('the ref %j: %i %s', async (ref, status, code) => {
    const answer = await render({ ref, variables: {} })
    expect([answer.status, answer.body.error]).toEqual([status, code])
  })

  it.each([
    { variables: {} },
    { ref: 'prompt:a' },
    { ref: 'prompt:a', variables: null },
    { ref: 1, variables: {} },
    { ref: 'prompt:a', variables: {}, contentTrust: 'some' },
    { ref: 'prompt:a', variables: {}, more: 1 },
  ])('the body %j', async body => {
    const answer = await render(body)
    expect([answer.status, answer.body.error]).toEqual([400, 'validation_error'])
    expect(Object.keys(answer.body).sort()).toEqual(['details', 'error', 'message'])
  })

  it('too large a request', async () => {
    const small = await startHost({ maxRenderRequestBytes: 200 })
    try {
      const { status, body } = await render({ ref: 'prompt:a', variables: { a: 'x'.repeat(200) } }, small)
      expect([status, body.error]).toEqual([413, 'body_too_large'])
    } finally {
      await small.close()
    }
  })
})

describe('overrides in a ref', () => {
  it('come before what the caller gives, are typed, and must be declared', async () => {
    const id = await publish('{{a}}', [text('a', { required: true })])
    const given = (variableOverrides: object) => render({ ref: { templateId: id, variableOverrides }, variables: { a: 'caller' } })
    expect((await given({ a: 'ref' })).body.composed).toBe('ref')
    expect((await given({})).body.composed).toBe('caller')
    expect((await given({ a: 1 })).body.error).toBe('prompt_variable_type_mismatch')
    expect((await given({ b: 'x' })).body.error).toBe('prompt_variable_unknown')
    expect((await given({ constructor: 'x' })).body.error).toBe('prompt_variable_unknown')
  })
})

it('renders from a library by its name, and refuses a ref that two libraries answer to', async () => {
  const pack = 'vendor.acme.prompts'
  const one = template('shared-name', { text: 'pack', variables: [] })
  await host.ask('POST', '/v1/prompts', { body: template('shared-name', { text: 'own', variables: [] }) })
  await publishTemplates(host.store, { tenant: HOST_TENANT, libraryId: pack, actor: 'test' }, [one], { mode: 'create', origin: 'pack' })
  const ask = (ref: unknown) => render({ ref, variables: {} })
  expect((await ask('prompt:shared-name')).body.error).toBe('prompt_ref_ambiguous')
  expect((await ask({ templateId: 'shared-name', libraryId: pack })).body.composed).toBe('pack')
  expect((await ask({ templateId: 'shared-name', libraryId: 'onbook' })).body.composed).toBe('own')
  expect((await host.ask('GET', '/v1/prompts/shared-name')).body.error).toBe('prompt_ref_ambiguous')
})
