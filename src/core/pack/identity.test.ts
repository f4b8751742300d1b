import { describe, expect, it } from 'vitest'
import { claimOf, idsOf, isScript, pathOfVersion, recordingOf, scriptOf, versionOfPath } from './identity.ts'

describe('a pack’s file', () => {
  it.each([
    ['prompts/writer/v1.0.0.yaml', { agentId: 'writer', version: '1.0.0' }, '1.0.0'],
    ['writer/v1.0.0.yml', { agentId: 'writer', version: '1.0.0' }, '1.0.0'],
    ['prompts/a/b/v1.0.0-rc.1+build.yaml', { agentId: 'b', version: '1.0.0-rc.1+build' }, '1.0.0-rc.1+build'],
    ['prompts/writer/v1.yaml', { agentId: 'writer', version: '1' }, null],
    ['prompts/writer/1.0.0.yaml', null, null],
    ['v1.0.0.yaml', null, null],
    ['prompts/writer/v1.0.0.json', null, null],
  ])('%s claims %j', (path, claim, version) => {
    expect(claimOf(path)).toEqual(claim)
    expect(versionOfPath(path)).toBe(version)
  })

  it.each(['yaml', 'yml'])('has its script, its recording and its other versions beside it (.%s)', ending => {
    const path = `prompts/writer/v1.0.0.${ending}`
    expect(scriptOf(path)).toBe('prompts/writer/v1.0.0.script.yaml')
    expect(isScript(scriptOf(path))).toBe(true)
    expect(isScript(path)).toBe(false)
    expect(recordingOf(path)).toBe('prompts/writer/v1.0.0.recorded.json')
    expect(pathOfVersion(path, '1.1.0')).toBe('prompts/writer/v1.1.0.yaml')
    expect(versionOfPath(pathOfVersion(path, '2.0.0'))).toBe('2.0.0')
  })

  it('is not the script that runs are given', () => {
    expect(['script.yaml', 'desk/script.yml', 'prompts/script/v1.0.0.yaml', 'prescript.yaml'].map(isScript)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

it('may be named by the whole version or by the major one', () => {
  expect(idsOf('writer', '1.2.3')).toEqual({ whole: 'prompt-writer-v1.2.3', short: 'prompt-writer-v1' })
})
