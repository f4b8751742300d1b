import { testRule } from '../../../../testing/rules/test-rule.ts'
import { variableDeclaration } from './rule.ts'

const variable = (type: string, fallback: unknown, more: object = {}) => ({ variables: [{ name: 'a', type, default: fallback, ...more }] })

testRule(variableDeclaration, {
  accepts: [
    { why: 'none' },
    {
      why: 'one of each type',
      pack: {
        variables: [
          ['a', 'string', ''],
          ['b', 'number', 0.5],
          ['c', 'boolean', false],
          ['d', 'array', []],
          ['e', 'object', {}],
        ].map(([name, type, value]) => ({ name, type, default: value })),
      },
    },
    { why: 'a whole number for a number', pack: variable('number', 3) },
    { why: 'null, which is no value', pack: variable('string', null) },
    { why: 'required without a default', pack: { variables: [{ name: 'a', type: 'string', required: true }] } },
    { why: 'required with null', pack: variable('string', null, { required: true }) },
    { why: 'names that only contain a reserved word', pack: { variables: ['ifs', 'thisOne', 'constraint'] } },
    { why: 'a declaration that breaks the format is the business of pack-schema', pack: { variables: [{ name: 'if', type: 'text' }] } },
  ],
  rejects: [
    { why: 'declared twice', pack: { variables: ['a', 'b', 'a'] }, problems: ['variables/2/name "a" is declared twice'] },
    ...['if', 'each', 'unless', 'with', 'lookup', 'log', 'else', 'this'].map(name => ({
      why: `the reserved word ${name}`,
      pack: { variables: [name] },
      problems: [`variables/0/name "${name}" is a reserved word of the template language`],
    })),
    ...['constraints', 'refusalRules'].map(name => ({
      why: `the built-in ${name}`,
      pack: { variables: [name] },
      problems: [`variables/0/name "${name}" is built in: it holds the pack's own ${name}`],
      suggestions: ['choose another name'],
    })),
    ...[
      ['string', 1, 'a string, not a number'],
      ['number', '1', 'a number, not a string'],
      ['boolean', 'true', 'a boolean, not a string'],
      ['array', {}, 'an array, not an object'],
      ['object', [], 'an object, not an array'],
      ['object', 'x', 'an object, not a string'],
    ].map(([type, value, said]) => ({
      why: `a ${type} with the default ${JSON.stringify(value)}`,
      pack: variable(String(type), value),
      problems: [`variables/0/default The default of "a" must be ${said}`],
    })),
    {
      why: 'required with a default',
      pack: variable('string', 'x', { required: true }),
      problems: ['warning: variables/0/default "a" is required and has a default: the default wins, so it is never missing'],
      suggestions: ['drop one of the two'],
    },
  ],
})
