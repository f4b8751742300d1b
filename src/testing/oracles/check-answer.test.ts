// The judge of answers is judged: it must see what is wrong.
import { expect, it } from 'vitest'
import { answerCheck, type OpenApi } from './check-answer.ts'

const named = (schema: object) => ({ description: '', content: { 'application/json': { schema } } })
const document = {
  components: { schemas: { 'def-0': { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } } },
  paths: {
    '/v1/things/{thingId}': {
      get: { responses: { 200: named({ $ref: '#/components/schemas/def-0' }) } },
      put: { responses: { '2XX': named({ type: 'array' }) } },
      delete: { responses: { 204: { description: '' } } },
    },
    '/v1/things:count': { post: { responses: { 200: { description: 'says nothing' } } } },
  },
} as unknown as OpenApi
const { problems, silent } = answerCheck(document)

it('finds what is not as it was promised, by reference and by class of status', () => {
  expect(problems('GET', '/v1/things/a?x=1', { status: 200, body: { id: 'a' } })).toEqual([])
  expect(problems('GET', '/v1/things/a', { status: 200, body: { id: 1 } })).toHaveLength(1)
  expect(problems('GET', '/v1/things/a', { status: 200, body: [] })).toHaveLength(1)
  expect(problems('PUT', '/v1/things/a', { status: 201, body: {} })).toHaveLength(1)
})

it('judges every refusal by the flat envelope', () => {
  expect(problems('GET', '/nowhere', { status: 404, body: { error: 'a', message: 'b', details: {} } })).toEqual([])
  expect(problems('GET', '/nowhere', { status: 404, body: { error: 'a', message: 'b', statusCode: 404 } })).toHaveLength(1)
  expect(problems('GET', '/nowhere', { status: 404, body: { error: { code: 'a' } } })).toHaveLength(2)
  expect(problems('GET', '/nowhere', { status: 404, body: null })).toHaveLength(1)
})

it("judges OpenWOP's own answers by OpenWOP's documents", () => {
  expect(problems('POST', '/v1/prompts:render', { status: 200, body: { hash: 'x' } })).not.toEqual([])
  const event = { nodeId: 'n', kind: 'system', chain: [], resolved: null }
  expect(problems('POST', '/v1/prompts:resolve', { status: 200, body: { resolutions: [{ event }] } })).toEqual([])
  expect(problems('POST', '/v1/prompts:resolve', { status: 200, body: { resolutions: [{ event: {} }] } })).not.toEqual([])
})

it('lists the routes that promise nothing', () => {
  expect(silent).toEqual(['POST /v1/things:count'])
})
