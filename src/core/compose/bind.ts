// Binds the caller's values to the variables of a template: typed, never converted, each value with its trust.
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { TemplateVariable, VariableSource } from '../library/template.ts'
import { SECRET_ID } from '../messages/message.ts'
import { aType, typeName } from '../pack/type-name.ts'

export type Trust = 'trusted' | 'untrusted'

/** The values of each source. `secret` maps a variable to the id of a secret, never to its value. */
export interface Sources {
  readonly input?: JsonObject
  readonly variable?: JsonObject
  readonly context?: JsonObject
  readonly secret?: JsonObject
}

export interface BindOptions {
  /** From the ref: they come before everything. */
  readonly overrides?: JsonObject | null
  readonly sources: Sources
  /** The trust of values, by variable; the default is trusted. */
  readonly trust?: Readonly<Record<string, Trust>>
}

export interface BoundValue {
  readonly value: Json
  readonly trust: Trust
  /** The id of the secret that this value refers to; null for all other values. */
  readonly secret: string | null
}

export interface BindProblem {
  readonly code: 'prompt_variable_unresolved' | 'prompt_variable_type_mismatch' | 'prompt_variable_unknown'
  readonly variable: string
  readonly message: string
}

export type BoundVariables =
  | { readonly ok: true; readonly bound: ReadonlyMap<string, BoundValue> }
  | { readonly ok: false; readonly problems: readonly BindProblem[] }

/** Overrides, then the variable's source, then its default when it is not required, then nothing. */
export function bindVariables(variables: readonly TemplateVariable[], { overrides, sources, trust = {} }: BindOptions): BoundVariables {
  const bound = new Map<string, BoundValue>()
  const problems: BindProblem[] = []
  if (overrides) {
    const declared = new Set(variables.map(({ name }) => name))
    for (const name of Object.keys(overrides))
      if (!declared.has(name))
        problems.push({ code: 'prompt_variable_unknown', variable: name, message: `the template declares no "${name}"` })
  }
  for (const variable of variables) {
    const value = givenValue(variable, overrides ?? {}, sources)
    const problem = problemWith(variable, value)
    if (problem !== null) problems.push(problem)
    else bound.set(variable.name, toBound(variable, value, Object.hasOwn(trust, variable.name) ? trust[variable.name]! : 'trusted'))
  }
  return problems.length === 0 ? { ok: true, bound } : { ok: false, problems }
}

function givenValue(variable: TemplateVariable, overrides: JsonObject, sources: Sources): Json | undefined {
  const { name, required, defaultValue } = variable
  if (Object.hasOwn(overrides, name)) return overrides[name]
  return sourceValue(variable, sources) ?? (required ? undefined : defaultValue)
}

function sourceValue({ name, source = 'input', extractPath }: TemplateVariable, sources: Sources): Json | undefined {
  const input = own(sources[source] ?? {}, name)
  return extractPath === undefined || input === undefined ? input : extract(input, extractPath)
}

/** The source of a variable's value; null without a value. */
export function givenBy(variable: TemplateVariable, { overrides, sources }: BindOptions): VariableSource | 'override' | 'default' | null {
  const { name, source = 'input', required, defaultValue } = variable
  if (Object.hasOwn(overrides ?? {}, name)) return 'override'
  if ((sourceValue(variable, sources) ?? null) !== null) return source
  return required || (defaultValue ?? null) === null ? null : 'default'
}

const own = (values: JsonObject, name: string): Json | undefined => (Object.hasOwn(values, name) ? values[name] : undefined)

/** A dotted path, with or without the `$.` of a JSONPath; list items by number. */
function extract(value: Json, path: string): Json | undefined {
  const names = path
    .replace(/^\$\.?/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter(name => name !== '')
  return names.reduce<Json | undefined>((at, name) => {
    if (Array.isArray(at)) return /^\d+$/.test(name) ? at[Number(name)] : undefined
    return isObject(at) ? own(at, name) : undefined
  }, value)
}

function problemWith({ name, type, required, source }: TemplateVariable, value: Json | undefined): BindProblem | null {
  if (value === undefined || value === null)
    return required ? { code: 'prompt_variable_unresolved', variable: name, message: `"${name}" is required and has no value` } : null
  const wanted = source === 'secret' ? 'string' : type
  // Never quoted: the caller may have sent the secret itself.
  if (source === 'secret' && typeof value === 'string' && secretId(value) === null)
    return { code: 'prompt_variable_type_mismatch', variable: name, message: `"${name}" must be the id of a secret` }
  if (typeName(value) === wanted) return null
  return {
    code: 'prompt_variable_type_mismatch',
    variable: name,
    message: `"${name}" must be ${aType(wanted)}, not ${aType(typeName(value))}`,
  }
}

/** A secret may be named by its id, or by the marker that replaces it everywhere else. */
const SECRET = new RegExp(`^(?:\\[REDACTED:(${SECRET_ID})\\]|(${SECRET_ID}))$`)

function secretId(text: string): string | null {
  const match = SECRET.exec(text)
  return match?.[1] ?? match?.[2] ?? null
}

function toBound({ source = 'input' }: { readonly source?: VariableSource }, value: Json | undefined, trust: Trust): BoundValue {
  if (source !== 'secret') return { value: value ?? null, trust, secret: null }
  const id = typeof value === 'string' ? secretId(value) : null
  return { value: id === null ? null : `[REDACTED:${id}]`, trust: 'trusted', secret: id }
}
