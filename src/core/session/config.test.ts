// Configs as people write them: what is left out is unset, what is wrong is said with its place.
import { describe, expect, it } from 'vitest'
import { config, named } from '../../testing/stories/session-story.ts'
import type { Json } from '../digest/digest.ts'
import { pointerText } from '../schema/pointer.ts'
import { configProblem, emptyConfig, readSessionConfig } from './config.ts'

describe('a session config', () => {
  it('may leave out everything', () => expect(readSessionConfig({})).toEqual({ ok: true, config: emptyConfig }))

  it('keeps what it sets, empty lists too', () => {
    const given = { provider: 'p', promptDigests: [], toolDigests: [named('t')], workspace: { name: 'w' }, limits: { maxSteps: 3 } }
    expect(readSessionConfig(given)).toEqual({
      ok: true,
      config: { ...emptyConfig, ...given, workspace: { name: 'w', version: null }, limits: { maxSteps: 3, maxCalls: null } },
    })
  })

  it.each<[Json, string]>([
    ['text', ''],
    [{ provider: 1 }, '/provider'],
    [{ reasoningEffort: 'High' }, '/reasoningEffort'],
    [{ maxTokens: -1 }, '/maxTokens'],
    [{ promptDigests: ['x'] }, '/promptDigests/0'],
    [{ toolDigests: {} }, '/toolDigests'],
    [{ workspace: { version: 1 } }, '/workspace'],
    [{ workspace: { name: '..' } }, '/workspace/name'],
    [{ workspace: { name: 'a', version: 0 } }, '/workspace/version'],
    [{ prelude: 'a/b' }, '/prelude'],
    [{ limits: { maxSteps: 1.5 } }, '/limits/maxSteps'],
    [{ mood: 1 }, ''],
  ])('%j is wrong at %s', (value, pointer) => {
    const read = readSessionConfig(value)
    expect(read.ok ? [] : read.problems.map(problem => pointerText(problem.pointer))).toContain(pointer)
  })
})

describe('a config that a run can be made of', () => {
  const code = (fields: Parameters<typeof config>[0], providers: string[] = [], models: string[] = []) =>
    configProblem(config(fields), { providers, models })?.code ?? null

  it('names a provider and a model', () => {
    expect([code({}), code({ provider: ' ' }), code({ model: '\t' })]).toEqual([null, 'provider_unset', 'model_unset'])
  })

  it('names those that the host offers; an empty list checks nothing', () => {
    expect([code({}, ['other']), code({}, [' scripted '], ['large']), code({}, [], ['small '])]).toEqual([
      'provider_not_offered',
      'model_not_offered',
      null,
    ])
  })
})
