import type { Json } from '../../../digest/digest.ts'
import { packFormat } from '../../../pack/format.ts'
import { aType, typeName } from '../../../pack/values.ts'
import type { SchemaError } from '../../../schema/interpret.ts'
import { type Pointer, pointerText } from '../../../schema/pointer.ts'
import type { Found, Rule } from '../../rule.ts'

export const packSchema: Rule = {
  name: 'pack-schema',
  summary: 'The pack has every required field, and every field has the right type and form.',
  severity: 'error',

  *check({ document, formatErrors }) {
    for (const error of formatErrors) yield* describe(error, document.value)
    const schema = document.value as { $schema?: Json } | undefined
    if (typeof schema?.$schema === 'string' && schema.$schema !== packFormat.$id)
      yield {
        severity: 'warning',
        message: `$schema names another format: ${schema.$schema}`,
        at: { pointer: ['$schema'] },
        suggestion: `write "${packFormat.$id}"`,
        fix: { pointer: ['$schema'], value: packFormat.$id },
      }
  },
}

function* describe({ pointer, keyword, message }: SchemaError, root: Json | undefined): Iterable<Found> {
  const name = pointer.length === 0 ? 'The pack' : `"${pointerText(pointer).slice(1)}"`
  const value = valueAt(root, pointer)
  switch (keyword) {
    case 'required': {
      const field = /"(.*)"/.exec(message)?.[1] ?? ''
      return yield { message: `${name} has no "${field}"`, at: { pointer, key: true } }
    }
    case 'type': {
      const wanted = /Expected "(.*)"/.exec(message)?.[1] ?? ''
      const found = typeName(value ?? null)
      const hint =
        wanted === 'string' && found === 'number'
          ? { suggestion: `put it in quotes: "${pointer.at(-1) === 'version' ? '1.0.0' : String(value)}"` }
          : {}
      const unquoted = wanted === 'boolean' && found === 'string' ? { suggestion: 'write true or false' } : {}
      return yield { message: `${name} must be ${aType(wanted)}, not ${aType(found)}`, at: { pointer }, ...hint, ...unquoted }
    }
    case 'pattern':
      return yield {
        message: `${name} has the wrong form: ${JSON.stringify(value)}`,
        at: { pointer },
        suggestion: FORMS[String(pointer.at(-1))] ?? `match ${message}`,
      }
    case 'minLength':
      return yield { message: `${name} is too short`, at: { pointer } }
    case 'enum':
      return yield {
        message: `${name} must be one of ${message.replace(/^.*any of \[(.*)\]\.$/, '$1').replaceAll(',', ', ')}`,
        at: { pointer },
      }
    default:
      return yield { message: `${name}: ${message}`, at: { pointer } }
  }
}

const FORMS: Readonly<Record<string, string>> = {
  id: 'write prompt-<agentId>-v<version>',
  agentId: 'use lower-case letters, digits and single hyphens',
  version: 'write a semantic version in quotes: "1.0.0"',
  name: 'start with a letter; then letters, digits and _',
  lastUpdated: 'write an ISO 8601 date and time: "2026-01-31T09:00:00Z"',
  inputSchema: 'write the $id of a schema under schemas/',
  outputSchema: 'write the $id of a schema under schemas/',
}

function valueAt(root: Json | undefined, pointer: Pointer): Json | undefined {
  return pointer.reduce<Json | undefined>((value, part) => (value as Record<string | number, Json> | null | undefined)?.[part], root)
}
