// Validates a YAML file of the operator against its format, and reports every problem with line and column. A file with problems is not used at all.
import type { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { positionText } from '../../core/pack/place.ts'
import { readYaml } from '../../core/pack/yaml.ts'
import { type Pointer, parsePointer } from '../../core/schema/pointer.ts'

export interface Complaint {
  readonly pointer: Pointer
  /** The problem is the name of the setting, not its value. */
  readonly key?: true
  readonly message: string
}

export interface ReadSettings {
  readonly settings: JsonObject
  /** Sentences with line and column. */
  readonly problems: readonly string[]
}

/** @param more checks that the format cannot express */
export function readSettings(text: string, format: Type.TSchema, more: (value: Json) => readonly Complaint[] = () => []): ReadSettings {
  // A file with only comments is empty.
  if (text.replace(/#.*/g, '').trim() === '') return { settings: {}, problems: [] }
  const document = readYaml(text)
  const value = document.value ?? {}
  const unreadable = document.problems.map(({ start, message }) => `${positionText(text, start)}: ${message}`)
  if (unreadable.length > 0) return { settings: {}, problems: unreadable }
  const problems = [...complaintsAbout(format, value), ...more(value)].map(
    ({ message, ...place }) => `${positionText(text, document.locate(place).start)}: ${message}`,
  )
  return { settings: problems.length > 0 ? {} : (value as JsonObject), problems }
}

function complaintsAbout(format: Type.TSchema, value: Json): readonly Complaint[] {
  const wrong = Value.Errors(format, value).filter(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf')
  return wrong.map(({ instancePath, message, params }): Complaint => {
    const pointer = parsePointer(instancePath)
    const unknown = (params as { additionalProperties?: readonly string[] }).additionalProperties?.[0]
    if (unknown !== undefined) return { pointer: [...pointer, unknown], key: true, message: `there is no setting "${unknown}"` }
    const allowed = (params as { allowedValues?: readonly string[] }).allowedValues
    return { pointer, message: `"${pointer.join('.')}" ${allowed === undefined ? message : `must be one of ${allowed.join(', ')}`}` }
  })
}
