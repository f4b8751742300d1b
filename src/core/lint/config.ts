// Reads onbook.config.yaml: which rules apply, with which severity and options.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { nearest } from '../pack/nearest.ts'
import type { Place, Span } from '../pack/place.ts'
import { aType, typeName } from '../pack/type-name.ts'
import { readYaml } from '../pack/yaml.ts'
import type { RuleHead, Severity } from './rule.ts'
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

const SEVERITIES: readonly string[] = ['off', 'info', 'warning', 'error']
const SEVERITY = { enum: SEVERITIES }

export const configFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/config.json',
  title: 'Onbook configuration',
  description: 'Severities and options of the lint rules. Every key is optional.',
  type: 'object',
  additionalProperties: false,
  properties: {
    rules: {
      type: ['object', 'null'],
      description: 'Rule name → severity, or severity with options.',
      additionalProperties: false,
      properties: Object.fromEntries(RULES.map(rule => [rule.name, settingFormat(rule)])),
    },
  },
}

function settingFormat({ summary, options = {} }: RuleHead) {
  const typed = Object.entries(options).map(([name, value]) => [
    name,
    Array.isArray(value) ? { type: 'array', items: { type: 'string' }, default: value } : { type: typeof value, default: value },
  ])
  const detailed = { type: 'object', additionalProperties: false, properties: { severity: SEVERITY, ...Object.fromEntries(typed) } }
  return { description: summary, anyOf: [SEVERITY, detailed] }
}

export function readConfig(text: string): { readonly config: Config; readonly problems: readonly ConfigProblem[] } {
  const document = readYaml(text)
  const { value } = document
  // A file with nothing but comments is an empty configuration.
  if (value === null || (value === undefined && text.replace(/#.*/g, '').trim() === '')) return { config: defaultConfig, problems: [] }
  const problems = [
    ...document.problems,
    ...[...(value === undefined ? [] : complaintsAbout(value))].map(({ message, at }) => ({ ...document.locate(at), message })),
  ]
  return problems.length > 0 ? { config: defaultConfig, problems } : { config: { rules: settingsOf(value!) }, problems }
}

interface Complaint {
  readonly message: string
  readonly at: Place
}

function* complaintsAbout(config: Json): Iterable<Complaint> {
  if (!isObject(config))
    return yield { message: `The configuration must be an object, not ${aType(typeName(config))}`, at: { pointer: [] } }
  for (const key of Object.keys(config))
    if (key !== 'rules') yield { message: `"${key}" is not a key of the configuration: there is rules`, at: { pointer: [key], key: true } }
  const rules = config.rules ?? {}
  if (!isObject(rules)) return yield { message: `"rules" must be an object, not ${aType(typeName(rules))}`, at: { pointer: ['rules'] } }
  for (const [name, setting] of Object.entries(rules)) {
    const rule = ruleNamed(name)
    if (rule === undefined) yield { message: `There is no rule "${name}"${hint(name)}`, at: { pointer: ['rules', name], key: true } }
    else yield* complaintsAboutSetting(rule, setting)
  }
}

function* complaintsAboutSetting({ name, options = {} }: RuleHead, setting: Json): Iterable<Complaint> {
  const pointer = ['rules', name]
  if (!isObject(setting)) {
    if (!isSeverity(setting)) yield { message: `"${name}" must be ${SEVERITIES.join(', ')}, or an object`, at: { pointer } }
    return
  }
  for (const [key, value] of Object.entries(setting)) {
    const at = { pointer: [...pointer, key] }
    const usual = Object.hasOwn(options, key) ? options[key]! : undefined
    if (key === 'severity') {
      if (!isSeverity(value)) yield { message: `severity of "${name}" must be ${SEVERITIES.join(', ')}`, at }
    } else if (usual === undefined) {
      const keys = ['severity', ...Object.keys(options)].join(', ')
      yield { message: `"${name}" has no option "${key}": there is ${keys}`, at: { ...at, key: true } }
    } else if (typeName(value) !== typeName(usual) || (Array.isArray(value) && !value.every(item => typeof item === 'string')))
      yield { message: `${key} of "${name}" must be ${Array.isArray(usual) ? 'a list of texts' : aType(typeName(usual))}`, at }
  }
}

const isSeverity = (value: Json): value is Severity | 'off' => SEVERITIES.includes(value as string)

function hint(name: string): string {
  const meant = nearest(
    name,
    RULES.map(rule => rule.name),
  )
  return meant === null ? '' : `: did you mean "${meant}"?`
}

/** Expects a configuration without complaints. */
function settingsOf(config: Json): Record<string, RuleSetting> {
  const { rules } = config as { rules?: Readonly<Record<string, Json>> | null }
  return Object.fromEntries(
    Object.entries(rules ?? {}).map(([name, setting]): [string, RuleSetting] => {
      if (typeof setting === 'string') return [name, { severity: setting as Severity | 'off', options: {} }]
      const { severity, ...options } = setting as { severity?: Severity | 'off' }
      return [name, severity === undefined ? { options } : { severity, options }]
    }),
  )
}
