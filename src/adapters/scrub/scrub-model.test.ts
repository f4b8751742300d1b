import { describe, expect, it } from 'vitest'
import { Fault } from '../../errors.ts'
import type { Model } from '../../ports.ts'
import { scrubbedModel, secretsIn } from './scrub-model.ts'

const request = { pack: 'p', example: 'e', messages: [] }
const never = new AbortController().signal
const environment = { OPENAI_API_KEY: 'sk-abc\ndef-123', OPENAI_BASE_URL: 'http://user:pa55%20word@127.0.0.1:1/v1' }
const saying = (complete: Model['complete']) => scrubbedModel({ name: 'm', complete }, environment)

describe('scrubbedModel', () => {
  it('knows keys, their pieces and passwords in addresses', () => {
    expect(secretsIn(environment)).toEqual(expect.arrayContaining(['sk-abc\ndef-123', 'def-123', 'sk-abc', 'pa55%20word', 'pa55 word']))
    expect(secretsIn({ OPENAI_API_KEY: 'abc' })).toEqual([])
  })

  it('takes them out of replies', async () => {
    expect(await saying(async () => '{"key":"def-123"}').complete(request, never)).toBe('{"key":"[REDACTED]"}')
  })

  it('lets pass that it was told to stop', async () => {
    const stop = AbortSignal.abort()
    await expect(saying(() => Promise.reject(stop.reason)).complete(request, stop)).rejects.toBe(stop.reason)
  })

  it.each([
    ['an error', new Error('"Bearer sk-abc\ndef-123" is an invalid header value')],
    ['a fault', new Fault('model_failed', { model: 'm', reason: 'cannot reach http://user:pa55%20word@127.0.0.1:1/v1 with sk-abc' })],
  ])('takes them out of %s, and leaves no trace of it', async (_, error) => {
    const failed = await saying(() => Promise.reject(error))
      .complete(request, never)
      .catch(caught => caught)
    expect(failed).toMatchObject({ code: 'model_failed', message: expect.stringContaining('[REDACTED]') })
    expect(`${failed.message} ${JSON.stringify(failed)} ${failed.cause}`).not.toMatch(/sk-abc|def-123|pa55/)
  })
})
