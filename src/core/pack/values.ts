// Prepares the values for rendering a template: typed, never converted, defaults filled in.
import type { Json } from '../digest/digest.ts'
import { builtInValues, type Pack, type Variable, type VariableType } from './pack.ts'
import { aType, typeName } from './type-name.ts'

export interface ValueProblem {
  readonly code: 'value-missing' | 'value-mistyped' | 'value-undeclared'
  readonly variable: string
  readonly message: string
}

export type Bound =
  | { readonly ok: true; readonly values: Readonly<Record<string, Json>> }
  | { readonly ok: false; readonly problems: readonly ValueProblem[] }

/** Given, else default, else (when optional) null, which prints as empty text. */
export function bindValues(
  pack: Pick<Pack, 'id' | 'variables' | 'constraints' | 'refusalRules'>,
  input: Readonly<Record<string, Json>>,
  options: { readonly lenient?: boolean } = {},
): Bound {
  const variables = pack.variables ?? []
  const problems: ValueProblem[] = []
  const values: Record<string, Json> = { ...builtInValues(pack) }
  for (const variable of variables) {
    const value = Object.hasOwn(input, variable.name) ? input[variable.name] : undefined
    const problem = problemWith(variable, value, options.lenient ?? false)
    if (problem !== null) problems.push(problem)
    values[variable.name] = value ?? variable.default ?? null
  }
  const declared = new Set(variables.map(({ name }) => name))
  for (const name of Object.keys(input)) {
    if (!declared.has(name)) {
      problems.push({ code: 'value-undeclared', variable: name, message: `"${name}" is not a variable of ${pack.id}` })
    }
  }
  return problems.length === 0 ? { ok: true, values } : { ok: false, problems }
}

/** A caller must give a value: a default satisfies `required`. */
export const isNeeded = (variable: Variable): boolean => variable.required === true && (variable.default ?? null) === null

function problemWith(variable: Variable, value: Json | undefined, lenient: boolean): ValueProblem | null {
  const { name, type } = variable
  if (value === undefined || value === null) {
    if (!isNeeded(variable) || lenient) return null
    return { code: 'value-missing', variable: name, message: `"${name}" is required and has no value` }
  }
  return hasType(value, type)
    ? null
    : { code: 'value-mistyped', variable: name, message: `"${name}" must be ${aType(type)}, not ${aType(typeName(value))}` }
}

export function hasType(value: Json, type: VariableType): boolean {
  return typeName(value) === type && (typeof value !== 'number' || Number.isFinite(value))
}
