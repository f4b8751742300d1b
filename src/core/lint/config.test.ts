import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { positionOf } from '../pack/place.ts'
import { configFormat, readConfig } from './config.ts'

const problems = (text: string) =>
  readConfig(text).problems.map(({ message, start }) => `${Object.values(positionOf(text, start)).join(':')} ${message}`)

describe('readConfig', () => {
  it.each(['', '\n', '# nothing yet\n', '~', 'rules:\n', '{}', 'rules: {}'])('reads %j as no wishes', text => {
    expect(readConfig(text)).toEqual({ config: { rules: {} }, problems: [] })
  })

  it('reads severities and options', () => {
    const { config } = readConfig(
      'rules:\n  unknown-key: off\n  max-prompt-length: {limit: 10}\n  required-sections:\n    severity: warning\n    sections: [TASK]\n',
    )
    expect(config.rules).toEqual({
      'unknown-key': { severity: 'off', options: {} },
      'max-prompt-length': { options: { limit: 10 } },
      'required-sections': { severity: 'warning', options: { sections: ['TASK'] } },
    })
  })

  it.each([
    ['rules:\n  unknown-kye: off', '2:3 There is no rule "unknown-kye": did you mean "unknown-key"?'],
    ['rules:\n  constructor: off', '2:3 There is no rule "constructor"'],
    ['rules:\n  unknown-key: loud', '2:16 "unknown-key" must be off, info, warning, error, or an object'],
    ['rules:\n  unknown-key: true', '2:16 "unknown-key" must be off, info, warning, error, or an object'],
    ['rules:\n  unknown-key: {severity: loud}', '2:27 severity of "unknown-key" must be off, info, warning, error'],
    ['rules:\n  unknown-key: {limit: 1}', '2:17 "unknown-key" has no option "limit": there is severity'],
    ['rules:\n  max-prompt-length: {limit: "1"}', '2:30 limit of "max-prompt-length" must be a number'],
    ['rules:\n  required-sections: {sections: [1]}', '2:33 sections of "required-sections" must be a list of texts'],
    ['rules: [a]', '1:8 "rules" must be an object, not an array'],
    ['ruls: {}', '1:1 "ruls" is not a key of the configuration: there is rules'],
    ['[]', '1:1 The configuration must be an object, not an array'],
    ['a: [', '1:5 Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ])('refuses %j', (text, problem) => {
    expect(problems(text)).toContain(problem)
    expect(readConfig(text).config).toEqual({ rules: {} })
  })

  it('agrees with its published format', () => {
    const check = new Ajv2020({ allowUnionTypes: true }).compile(configFormat)
    const samples = [
      '{}',
      'rules: ~',
      'rules: {unknown-key: off}',
      'rules: {max-prompt-length: {limit: 1}}',
      'rules: {max-prompt-length: {limit: x}}',
      'rules: {x: off}',
      'rules: {unknown-key: loud}',
      'rules: []',
      'other: 1',
      'rules: {required-sections: {sections: [A]}}',
      'rules: {required-sections: {sections: [1]}}',
      'rules: {unknown-key: {severity: 1}}',
      '[]',
    ]
    for (const sample of samples) expect([sample, readConfig(sample).problems.length === 0]).toEqual([sample, check(parse(sample))])
  })
})
