// Fields that the formats of all files share: an object without other keys, a flag, a count.
import type { Form } from './form.ts'

export const closed = (properties: Readonly<Record<string, Form>>, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false as const,
  required,
  properties,
})
export const flag = (description: string) => ({ type: 'boolean', description })
export const count = (description: string, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) => ({
  type: 'integer',
  minimum,
  maximum,
  description,
})
