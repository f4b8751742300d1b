import { describe, expect, it } from 'vitest'
import { folderFiles } from '../../adapters/folder/folder-files.ts'
import { Fault } from '../../errors.ts'
import type { Model, Validator } from '../../ports.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { openWorkspace } from './pack-folder.ts'
import { type TestOptions, testPacks } from './test-packs.ts'

const CRITIC = 'prompts/critic/v1.0.0.yaml'
const forever = () => new Promise<never>(() => undefined)
const options = (model: Model, more: Partial<TestOptions> = {}): TestOptions => ({
  modelFor: async () => model,
  concurrency: 8,
  timeoutMs: 60_000,
  fences: false,
  signal: new AbortController().signal,
  ...more,
})
const problemsOf = async (validator: Validator, given: TestOptions): Promise<(readonly [string, ...string[]])[]> => {
  const results = await testPacks(await openWorkspace(folderFiles('examples/newsroom')), validator, [CRITIC], given)
  return results.map(({ status, problems }) => [status, ...problems.map(({ message }) => message)])
}

describe('an interrupted run', () => {
  it('does not wait for a validator that is still thinking', async () => {
    const results = await problemsOf(
      { ask: forever, close: async () => undefined },
      options({ name: 'mute', complete: forever }, { signal: AbortSignal.timeout(50) }),
    )
    expect(results).toEqual([['error', 'Not finished: the run was interrupted']])
  })

  it('does not wait for a model that does not listen', async () => {
    const validator = sharedValidator()
    const stop = new AbortController()
    const complete = () => {
      stop.abort()
      return forever()
    }
    const results = await problemsOf(validator, options({ name: 'deaf', complete }, { signal: stop.signal }))
    expect(results).toEqual(Array(2).fill(['error', 'Not finished: the run was interrupted']))
    await validator.close()
  })
})

describe('a model that is too slow', () => {
  const failing = (error: () => Error): Model => ({
    name: 'slow',
    complete: (_, signal) => new Promise((__, reject) => signal.addEventListener('abort', () => reject(error()))),
  })
  it.each([
    [
      'says what went wrong before',
      failing(() => new Fault('model_failed', { model: 'slow', reason: 'overloaded' })),
      '; before that, slow failed: overloaded.',
    ],
    ['need not say that it was told to stop', failing(() => new DOMException('stopped', 'AbortError')), ''],
    ['need not say anything', { name: 'mute', complete: forever }, ''],
  ])('%s', async (_, model, added) => {
    const validator = sharedValidator()
    const results = await problemsOf(validator, options(model, { timeoutMs: 20 }))
    expect(results).toEqual(Array(2).fill(['error', `no reply within 0.02 s${added}`]))
    await validator.close()
  })
})
