// onbook.config.yaml: which rules speak, how loudly, and with which options.
import type { Json } from '../digest/digest.ts'
import type { Span } from '../pack/place.ts'
import { readYaml } from '../pack/yaml.ts'
import { interpretSchema } from '../schema/interpret.ts'
import { pointerText } from '../schema/pointer.ts'
import { nearest } from './nearest.ts'
import type { Rule, Severity } from './rule.ts'
import { RULES, ruleNamed } from './rules.ts'

export interface RuleSetting {
  readonly severity?: Severity | 'off'
  readonly options: Readonly<Record<string, Json>>
}

export interface Config {
  readonly rules: Readonly<Record<string, RuleSetting>>
}

export interface ConfigProblem extends Span {
  readonly message: string
}

export const defaultConfig: Config = { rules: {} }

const SEVERITY = { enum: ['off', 'info', 'warning', 'error'] }

export const configFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/config.json',
  title: 'Onbook configuration',
  description: 'Severities and options of the lint rules. Every key is optional.',
  type: 'object',
  additionalProperties: false,
  properties: {
    rules: {
      type: 'object',
      description: 'Rule name → severity, or severity with options.',
      additionalProperties: false,
      properties: Object.fromEntries(RULES.map(rule => [rule.name, settingFormat(rule)])),
    },
  },
}

function settingFormat({ summary, options = {} }: Rule) {
  const typed = Object.entries(options).map(([name, value]) => [
    name,
    Array.isArray(value) ? { type: 'array', items: { type: 'string' }, default: value } : { type: typeof value, default: value },
  ])
  const detailed = { type: 'object', additionalProperties: false, properties: { severity: SEVERITY, ...Object.fromEntries(typed) } }
  return { description: summary, anyOf: [SEVERITY, detailed] }
}

let check: ReturnType<typeof interpretSchema> | undefined

export function readConfig(text: string): { readonly config: Config; readonly problems: readonly ConfigProblem[] } {
  const document = readYaml(text)
  const value = document.value ?? {}
  if (document.value === null || text.trim() === '') return { config: defaultConfig, problems: [] }
  check ??= interpretSchema(configFormat as unknown as Json)
  const wrong = check(value).filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'false')
  const problems = [
    ...document.problems,
    ...wrong.map(({ pointer, message }) => ({
      ...document.locate({ pointer }),
      message: `${pointerText(pointer).slice(1) || 'The file'}: ${message}`,
    })),
    ...unknownRules(value).map(name => ({
      ...document.locate({ pointer: ['rules', name], key: true }),
      message: `There is no rule "${name}"${hint(name)}`,
    })),
  ]
  return problems.length > 0 ? { config: defaultConfig, problems } : { config: { rules: settingsOf(value) }, problems }
}

const rulesOf = (value: Json): Readonly<Record<string, Json>> => {
  const rules = (value as { rules?: Json }).rules
  return typeof rules === 'object' && rules !== null && !Array.isArray(rules) ? (rules as Record<string, Json>) : {}
}

const unknownRules = (value: Json): readonly string[] => Object.keys(rulesOf(value)).filter(name => ruleNamed(name) === undefined)

function hint(name: string): string {
  const meant = nearest(
    name,
    RULES.map(rule => rule.name),
  )
  return meant === null ? '' : `: did you mean "${meant}"?`
}

function settingsOf(value: Json): Record<string, RuleSetting> {
  return Object.fromEntries(
    Object.entries(rulesOf(value)).map(([name, setting]): [string, RuleSetting] => {
      if (typeof setting === 'string') return [name, { severity: setting as Severity | 'off', options: {} }]
      const { severity, ...options } = setting as { severity?: Severity | 'off' }
      return [name, severity === undefined ? { options } : { severity, options }]
    }),
  )
}
