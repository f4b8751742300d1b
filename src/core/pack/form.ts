// Checks a value against one of our own formats: only the few keywords they use, with messages an author can act on.
// Untrusted schemas use a validator.
import type { Json } from '../digest/digest.ts'
import { type Pointer, pointerText } from '../schema/pointer.ts'
import { nearest } from './nearest.ts'
import { aType, typeName } from './type-name.ts'

/** The part of JSON Schema that our formats are written in. */
export interface Form {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Form>>
  /** False: there are no others. */
  readonly additionalProperties?: Form | false
  readonly propertyNames?: Form
  readonly maxProperties?: number
  readonly items?: Form
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  /** The pattern in words, for the error message. */
  readonly $comment?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly enum?: readonly string[]
}

export interface FormError {
  readonly pointer: Pointer
  readonly keyword: Exclude<keyof Form, 'description' | '$comment' | 'properties' | 'propertyNames' | 'items'>
  readonly message: string
}

/** `whole`: the name of the value itself, as in "The pack". */
export function checkForm(value: Json, form: Form, whole: string): readonly FormError[] {
  const errors: FormError[] = []
  visit(value, form, [], whole, errors)
  return errors
}

function visit(value: Json, form: Form, pointer: Pointer, whole: string, errors: FormError[]): void {
  const say = (keyword: FormError['keyword'], message: string) => {
    const name = pointer.length === 0 ? whole : `"${pointerText(pointer).slice(1)}"`
    errors.push({ pointer, keyword, message: `${name} ${message}` })
  }
  const type = typeName(value)
  const wanted = typeof form.type === 'string' ? [form.type] : form.type
  if (wanted !== undefined && !wanted.includes(type) && !(wanted.includes('integer') && Number.isInteger(value))) {
    say('type', `must be ${wanted.map(aType).join(' or ')}, not ${aType(type)}`)
    return
  }
  if (form.enum !== undefined && !form.enum.includes(value as string)) say('enum', `must be one of ${form.enum.join(', ')}`)
  if (typeof value === 'string') visitText(value, form, say)
  else if (typeof value === 'number') visitNumber(value, form, say)
  else if (Array.isArray(value)) visitItems(value, form, pointer, whole, errors, say)
  else if (value !== null && typeof value === 'object') visitFields(value as Fields, form, pointer, whole, errors, say)
}

type Fields = Readonly<Record<string, Json>>
type Say = (keyword: FormError['keyword'], message: string) => void

function visitText(text: string, { pattern, $comment, minLength = 0, maxLength }: Form, say: Say): void {
  // Characters are code points in JSON Schema, and there are never more of those than UTF-16 units.
  if (minLength > 0 && (text.length < minLength || [...text.slice(0, 2 * minLength)].length < minLength))
    say('minLength', minLength === 1 ? 'is empty' : `has ${[...text].length} characters: at least ${minLength} are needed`)
  if (maxLength !== undefined && text.length > maxLength && [...text].length > maxLength)
    say('maxLength', `has ${[...text].length} characters: at most ${maxLength} are allowed`)
  else if (pattern !== undefined && !compiled(pattern).test(text))
    say('pattern', `has the wrong form: ${shorten(JSON.stringify(text))}${$comment === undefined ? '' : `. Write ${$comment}`}`)
}

function visitNumber(value: number, { minimum, maximum }: Form, say: Say): void {
  if (minimum !== undefined && value < minimum) say('minimum', `is ${value}: at least ${minimum} is needed`)
  if (maximum !== undefined && value > maximum) say('maximum', `is ${value}: at most ${maximum} is allowed`)
}

function visitItems(list: readonly Json[], form: Form, pointer: Pointer, whole: string, errors: FormError[], say: Say): void {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = form
  if (list.length < minItems) say('minItems', minItems === 1 ? 'is empty' : `has ${list.length} items: at least ${minItems} are needed`)
  // An oversized list is one error; its items are not checked.
  if (list.length > maxItems) say('maxItems', `has ${list.length} items: at most ${maxItems} are allowed`)
  else if (items !== undefined) for (const [index, item] of list.entries()) visit(item, items, [...pointer, index], whole, errors)
}

function visitFields(fields: Fields, form: Form, pointer: Pointer, whole: string, errors: FormError[], say: Say): void {
  for (const name of form.required ?? []) if (!Object.hasOwn(fields, name)) say('required', `has no "${name}"`)
  const { length: count } = Object.keys(fields)
  // An object with too many fields gets one error, not one for each.
  if (form.maxProperties !== undefined && count > form.maxProperties)
    return say('maxProperties', `has ${count} fields: at most ${form.maxProperties} are allowed`)
  for (const [name, value] of Object.entries(fields)) {
    const isProperty = form.properties !== undefined && Object.hasOwn(form.properties, name)
    const field = isProperty ? form.properties[name] : form.additionalProperties
    if (form.propertyNames !== undefined) visit(name, form.propertyNames, [...pointer, name], whole, errors)
    if (field === false) errors.push({ pointer: [...pointer, name], keyword: 'additionalProperties', message: noSuchKey(name, form) })
    else if (field !== undefined) visit(value, field, [...pointer, name], whole, errors)
  }
}

function noSuchKey(name: string, { properties = {} }: Form): string {
  const meant = nearest(name, Object.keys(properties))
  return `There is no ${shorten(JSON.stringify(name))} here${meant === null ? '' : `: did you mean "${meant}"?`}`
}

const patterns = new Map<string, RegExp>()
function compiled(pattern: string): RegExp {
  const expression = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, expression)
  return expression
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}…` : text)
