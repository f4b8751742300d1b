import type { Json } from '../../../digest/digest.ts'
import type { FormError } from '../../../pack/form.ts'
import { packFormat } from '../../../pack/format.ts'
import type { Found, Rule } from '../../rule.ts'

export const packSchema: Rule = {
  name: 'pack-schema',
  summary: 'The pack has every required field, and every field has the right type and form.',
  severity: 'error',
  fixable: true,

  *check({ document, formatErrors }) {
    for (const error of formatErrors) yield toFound(error)
    const schema = (document.value as { $schema?: Json } | null | undefined)?.$schema
    if (typeof schema === 'string' && schema !== packFormat.$id)
      yield {
        severity: 'warning',
        message: `$schema names another format: ${schema}`,
        at: { pointer: ['$schema'] },
        suggestion: `write "${packFormat.$id}"`,
        fix: { pointer: ['$schema'], value: packFormat.$id },
      }
  },
}

function toFound({ pointer, keyword, message }: FormError): Found {
  const advice =
    keyword === 'pattern' || keyword === 'type' ? FORMS[String(pointer.at(typeof pointer.at(-1) === 'number' ? -2 : -1))] : undefined
  return { message, at: { pointer, key: keyword === 'required' }, ...(advice === undefined ? {} : { suggestion: advice }) }
}

const FORMS: Readonly<Record<string, string>> = {
  id: 'write prompt-<agentId>-v<version>',
  agentId: 'use lower-case letters, digits and single hyphens',
  version: 'write a semantic version in quotes: "1.0.0"',
  name: 'write a name in quotes; of a variable: letters, digits and _, a letter first',
  lastUpdated: 'write an ISO 8601 date and time in quotes: "2026-01-31T09:00:00Z"',
  required: 'write true or false',
  volatile: 'write true or false',
  inputSchema: 'write the $id of a schema under schemas/',
  outputSchema: 'write the $id of a schema under schemas/',
  ignore: 'write a JSON pointer into the output: "/meta/createdAt"',
  constraints: 'write each rule as a text in quotes',
  refusalRules: 'write each rule as a text in quotes',
  variables: 'write a list: - name: topic',
  examples: 'write a list: - name: Plain case',
}
