// Names the type of a JSON value, for code and for messages.
import type { Json } from '../digest/digest.ts'

export const typeName = (value: Json): 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null' =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as 'string' | 'number' | 'boolean' | 'object')

export const aType = (type: string): string => (type === 'null' ? 'null' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)
