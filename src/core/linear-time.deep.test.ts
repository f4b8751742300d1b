// Tests that hostile content takes linear time: twice as much takes about twice as long, never four times. No test depends
// on the speed of the machine.
import { describe, expect, it } from 'vitest'
import { cpuTimeOf } from '../testing/cpu-time.ts'
import { packText } from '../testing/rules/test-rule.ts'
import type { Json } from './digest/digest.ts'
import { readReply } from './example/reply.ts'
import { readConfig } from './lint/config.ts'
import { fixesOf, lintPack, preparePack } from './lint/lint.ts'
import { changesBetween } from './pack/changes.ts'
import { editScalars } from './pack/edit.ts'
import { nearest } from './pack/nearest.ts'
import { type Pack, readPack } from './pack/pack.ts'
import { readYaml } from './pack/yaml.ts'
import { compareJson, textDiff } from './schema/compare-json.ts'
import { interpretQuestion } from './schema/interpret-question.ts'
import { closureOf, collectSchemas } from './schema/schemas.ts'

interface Hostile {
  readonly what: string
  /** Large enough to take some milliseconds. */
  readonly size: number
  /** Makes one of this size; what is returned is measured. Each call gets one of its own, so that nothing is remembered. */
  readonly make: (size: number) => () => unknown
}

const path = 'prompts/writer/v1.0.0.yaml'
const { schemas } = collectSchemas(
  ['question', 'answer'].map(name => ({ path: `schemas/${name}.json`, schema: { $id: `https://example.com/schemas/${name}.json` } })),
)
const times = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => one(index))
const lint = (text: string) => () => lintPack(text, { path, schemas })
const prompt = (systemPrompt: string) => lint(packText({ systemPrompt }))
const more = (text: string) => `${packText({})}${text}`
const packOf = (fields: Partial<Pack>): Pack => ({ ...readPack(packText({})).pack!, ...fields })
const schemaOf = (schema: Json) => collectSchemas([{ path: 'a.json', schema }]).schemas
const named = (count: number, prefix = 'v') => times(count, index => ({ name: `${prefix}${index}`, type: 'string' as const }))

const PROMPTS: readonly Hostile[] = [
  { what: 'a heading full of spaces', size: 30_000, make: size => prompt(`# a${' '.repeat(size)}b`) },
  { what: 'a heading full of closing marks', size: 30_000, make: size => prompt(`# a${' #'.repeat(size)}b`) },
  { what: 'a number, spaces and no title', size: 30_000, make: size => prompt(`1.${' '.repeat(size)}b:`) },
  { what: 'a number of many parts', size: 20_000, make: size => prompt(`${'1.'.repeat(size)}b:`) },
  { what: 'a bold line without end', size: 20_000, make: size => prompt(`**${'a:*'.repeat(size)}`) },
  { what: 'a label without end', size: 30_000, make: size => prompt(`${'a '.repeat(size)}!:`) },
  { what: 'a rule without end', size: 30_000, make: size => prompt(`a\n${'-'.repeat(size)}${' '.repeat(size)}x`) },
  { what: 'a fence of backticks', size: 30_000, make: size => prompt(`${'`'.repeat(size)}a${'`'.repeat(size)}`) },
  { what: 'thousands of sections', size: 10_000, make: size => prompt('# INPUT\n'.repeat(size)) },
  { what: 'thousands of sections in blocks', size: 4000, make: size => prompt('{{#if a}}\n# INPUT\n{{/if}}\n'.repeat(size)) },
  { what: 'thousands of variables', size: 8000, make: size => prompt(times(size, index => `{{v${index}}}`).join(' ')) },
  {
    what: 'thousands of variables, misspelt',
    size: 600,
    make: size => lint(packText({ systemPrompt: times(size, index => `{{v${index}x}}`).join(' '), variables: named(size) })),
  },
  { what: 'braces', size: 50_000, make: size => prompt('{'.repeat(size)) },
  { what: 'blocks that are never closed', size: 8000, make: size => prompt('{{#if a}}'.repeat(size)) },
  { what: 'blocks that were never opened', size: 8000, make: size => prompt('{{/if}}'.repeat(size)) },
  { what: 'a tag full of spaces', size: 20_000, make: size => prompt(`{{a${' '.repeat(size)}b}}`) },
  { what: 'blank lines around tags', size: 20_000, make: size => prompt(`${' \n'.repeat(size)}{{#if a}}${' '.repeat(size)}\n{{/if}}`) },
  { what: 'vague words', size: 40_000, make: size => prompt('process etc. '.repeat(size)) },
]

const FILES: readonly Hostile[] = [
  {
    what: 'spaces in double quotes',
    size: 50_000,
    make: size => lint(more(`systemPrompt: "${' '.repeat(size)}{{who}}"\n`).replace(/^systemPrompt: \|[\s\S]*?\n(?=\w)/m, '')),
  },
  {
    what: 'spaces in single quotes',
    size: 50_000,
    make: size => lint(more(`systemPrompt: '${' '.repeat(size)}{{who}}'\n`).replace(/^systemPrompt: \|[\s\S]*?\n(?=\w)/m, '')),
  },
  { what: 'keys that nobody knows', size: 2500, make: size => lint(more(times(size, index => `extra${index}: 1\n`).join(''))) },
  { what: 'the same key over and over', size: 2500, make: size => lint(more('extra: 1\n'.repeat(size))) },
  {
    what: 'comments that switch rules off',
    size: 4000,
    make: size => lint(more('# onbook-disable-next-line unknown-key -- why\n'.repeat(size))),
  },
  {
    what: 'comments, each with its finding',
    size: 1200,
    make: size => lint(more(times(size, index => `e${index}: yes # onbook-disable-line ambiguous-scalar -- why\n`).join(''))),
  },
  {
    what: 'comments in a prompt, each with its finding',
    size: 1200,
    make: size => prompt('{{! onbook-disable-line no-undefined-variables -- why }}{{a}}\n'.repeat(size)),
  },
  {
    what: 'findings of a prompt in quotes, all on one line that is silenced',
    size: 4000,
    make: size =>
      lint(
        more(`systemPrompt: "${'{{a}} '.repeat(size)}" # onbook-disable-line no-undefined-variables -- why\n`).replace(
          /^systemPrompt: \|[\s\S]*?\n(?=\w)/m,
          '',
        ),
      ),
  },
  {
    what: 'a comment in a prompt that closes again and again',
    size: 20_000,
    make: size => prompt(`{{! onbook-disable ${'}}'.repeat(size)}\u2028`),
  },
  { what: 'ambiguous scalars', size: 2000, make: size => lint(more(times(size, index => `e${index}: yes\n`).join(''))) },
  {
    what: 'repairs',
    size: 2000,
    make: size => {
      const prepared = preparePack(path, more(times(size, index => `e${index}: yes\n`).join('')))
      return () => editScalars(prepared.read.document, fixesOf(prepared, { schemas, verdicts: new Map() }))
    },
  },
  {
    what: 'examples beside as many variables',
    size: 400,
    make: size => lint(packText({ variables: named(size), examples: times(size, index => ({ name: `e${index}`, input: {} })) })),
  },
  {
    what: 'an example that gives thousands of values',
    size: 800,
    make: size =>
      lint(
        packText({
          variables: named(size),
          examples: [{ name: 'A', input: {}, variables: Object.fromEntries(times(size, index => [`v${index}`, ''])) }],
        }),
      ),
  },
  { what: 'a version without end', size: 20_000, make: size => lint(packText({ version: `1.0.0-${'a-'.repeat(size)}.` })) },
  { what: 'a file nested too deep', size: 50_000, make: size => () => readYaml('['.repeat(size)) },
  { what: 'aliases', size: 5000, make: size => () => readYaml(`a: &a [1]\nb: [${'*a, '.repeat(size)}]`) },
  {
    what: 'rules that nobody knows',
    size: 600,
    make: size => () => readConfig(`rules:\n${times(size, i => `  unknown-k${i}: off\n`).join('')}`),
  },
  {
    what: 'a version that shares nothing with the one before',
    size: 5000,
    make: size => {
      const fields = (prefix: string) => ({
        variables: named(size, prefix),
        examples: times(size, index => ({ name: `${prefix}${index}`, input: 1 })),
        constraints: times(size, index => `${prefix}${index}`),
      })
      const [before, after] = [packOf(fields('a')), packOf(fields('b'))]
      return () => changesBetween(before, after)
    },
  },
]

const SCHEMAS: readonly Hostile[] = [
  {
    what: 'thousands of schemas, each asked for',
    size: 1000,
    make: size => {
      const files = times(size, index => ({ path: `${index}.json`, schema: { $id: `https://a/${index}.json`, type: 'object' } }))
      const { schemas } = collectSchemas(files)
      return () => files.map(({ schema }) => closureOf(schema.$id, schemas))
    },
  },
  {
    what: 'anchors',
    size: 2000,
    make: size => {
      const $defs = Object.fromEntries(times(size, index => [`d${index}`, { $anchor: `a${index}`, $ref: `#a${size - index - 1}` }]))
      const schemas = schemaOf({ $id: 'https://a/b', $defs })
      return () => expect(closureOf('https://a/b', schemas)!.unresolved).toEqual([])
    },
  },
  {
    what: 'anchors of another file',
    size: 800,
    make: size => {
      const defs = (one: (index: number) => Json) => Object.fromEntries(times(size, index => [`d${index}`, one(index)]))
      const { schemas } = collectSchemas([
        { path: 'a', schema: { $id: 'https://a/a', $defs: defs(index => ({ $ref: `b#a${index}` })) } },
        { path: 'b', schema: { $id: 'https://a/b', $defs: defs(index => ({ $anchor: `a${index}` })) } },
      ])
      return () => expect(closureOf('https://a/a', schemas)!.unresolved).toEqual([])
    },
  },
  {
    what: 'schemas inside one file',
    size: 2000,
    make: size => {
      const $defs = Object.fromEntries(times(size, index => [`d${index}`, { $id: `c${index}`, $ref: `c${size - index - 1}#` }]))
      const schemas = schemaOf({ $id: 'https://a/b', $defs })
      return () => expect(closureOf('https://a/b', schemas)!.unresolved).toEqual([])
    },
  },
  {
    what: 'a long list to be judged',
    size: 10_000,
    make: size => {
      const schemas = schemaOf({ $id: 'https://a/b', items: { type: 'string' } })
      return () => interpretQuestion({ schema: 'https://a/b', instance: times(size, index => index) }, schemas)
    },
  },
]

const REPLIES: readonly Hostile[] = [
  { what: 'nesting', size: 20_000, make: size => () => readReply(`${'[{"a":'.repeat(size)}1${'}]'.repeat(size)}`) },
  {
    what: 'a fence full of blank lines',
    size: 50_000,
    make: size => () => readReply(`\`\`\`json\n${'\n'.repeat(size)}x`, { fences: true }),
  },
  { what: 'spaces', size: 200_000, make: size => () => readReply(' '.repeat(size), { fences: true }) },
  { what: 'half characters', size: 50_000, make: size => () => readReply(`[${'"a\\ud800",'.repeat(size)}1]`) },
  {
    what: 'a list that shares nothing',
    size: 8000,
    make: size =>
      pairOf(
        times(size, String),
        times(size, index => index),
        textDiff,
      ),
  },
  {
    what: 'a list of the same, shifted',
    size: 20_000,
    make: size => pairOf([...times(size, () => 0), 1], [1, ...times(size, () => 0)], textDiff),
  },
  {
    what: 'lists that differ in length',
    size: 20_000,
    make: size =>
      pairOf(
        times(size, () => 0),
        times(3 * size, () => 0),
        textDiff,
      ),
  },
  {
    what: 'differences',
    size: 20_000,
    make: size =>
      pairOf(
        times(size, String),
        times(size, index => index),
        compareJson,
      ),
  },
  {
    what: 'names to choose from',
    size: 50_000,
    make: size => {
      const known = times(size, index => `name${index}`)
      return () => nearest('nmae12345', known)
    },
  },
  { what: 'a long name', size: 20_000, make: size => () => nearest('a'.repeat(size), ['b'.repeat(size)]) },
]

function pairOf(a: Json, b: Json, look: (a: Json, b: Json) => unknown) {
  return () => look(a, b)
}

/** For four times the size: between linear (4) with the noise of a busy machine, and quadratic (16). */
const MOST = 11
const ROUNDS = 2
const TRIES = 6
/** In milliseconds. Below this a clock measures the collector of garbage; at these sizes a square takes far longer. */
const TOO_SHORT = 10

/**
 * By how much four times the size takes longer. The large one is measured once and first, the small one at its best:
 * noise only makes the growth look larger, and then it is measured again.
 */
function growthOf({ size, make }: Hostile): number {
  const large = cpuTimeOf(make(2 * size))
  if (large < TOO_SHORT) return 1
  return large / Math.min(...times(ROUNDS, () => cpuTimeOf(make(size / 2))))
}

describe.each([
  ['a prompt', PROMPTS],
  ['a file', FILES],
  ['schemas', SCHEMAS],
  ['a reply', REPLIES],
])('%s with', (_, all) => {
  it.each(all)(
    '$what',
    hostile => {
      let growth = growthOf(hostile)
      for (let again = 1; again < TRIES && growth >= MOST; again++) growth = Math.min(growth, growthOf(hostile))
      expect(growth).toBeLessThan(MOST)
    },
    20_000,
  )
})
