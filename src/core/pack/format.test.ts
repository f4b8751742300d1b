// Tests our format check against ajv, with the schema that we publish.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { pointerText } from '../schema/pointer.ts'
import { checkForm } from './form.ts'
import { packFormat } from './format.ts'
import { registryFormat } from './registry.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
const formats = { pack: packFormat, registry: registryFormat } as const
const judges = { pack: ajv.compile(packFormat), registry: ajv.compile(registryFormat) }

/** Compared by keyword and place, except that a text too long for ours is not also held against its pattern, and that ajv names a bad name twice. */
function agree(format: keyof typeof formats, value: Json): void {
  const places = checkForm(value, formats[format], 'It').map(({ pointer, keyword }) => `${keyword} ${pointerText(pointer)}`)
  const judge = judges[format]
  judge(value)
  const judged = (judge.errors ?? [])
    .filter(({ keyword }) => keyword !== 'propertyNames')
    .map(
      ({ keyword, instancePath, propertyName, params: { additionalProperty = propertyName } }) =>
        `${keyword} ${instancePath}${additionalProperty === undefined ? '' : pointerText([additionalProperty])}`,
    )
    .filter((error, _, all) => !(error.startsWith('pattern ') && all.includes(error.replace('pattern ', 'maxLength '))))
  expect([...new Set(places)].sort()).toEqual([...new Set(judged)].sort())
}

const odd = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 2, arbitrary: fc.constantFrom(null, '', 0, true, [], {}, '1.0.0', 'x'.repeat(50), 'x'.repeat(101), '😀'.repeat(49)) },
) as fc.Arbitrary<Json>
const or = (good: fc.Arbitrary<unknown>) => fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: odd }) as fc.Arbitrary<Json>
const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, good]) => [name, or(good)])), { requiredKeys: [] })
const version = fc.constantFrom('1.0.0', '0.0.1', '1.0.0-alpha-1', '01.0.0', '1.0', '1.0.0-01', '1.0.0+b', 'v1', '1.0.0\n')
const digest = fc.constantFrom(`sha256:${'a'.repeat(64)}`, `sha256:${'A'.repeat(64)}`, 'sha256:')
const names = fc.array(fc.constantFrom('a', 'bC_1', 'a-b', '', '1a'), { maxLength: 3 })

const anyPack = some({
  $schema: fc.string(),
  id: fc.constantFrom('prompt-a-v1', 'prompt-a-b-v1.0.0', 'prompt-a-v', 'prompt-A-v1', 'prompt-a-v1 z', 'prompt-a1-v0'),
  agentId: fc.constantFrom('a', 'a-b1', 'a--b', 'A', '1a', 'constructor'),
  version,
  meta: some({
    name: fc.string(),
    description: fc.string(),
    author: fc.string(),
    lastUpdated: fc.constantFrom('2026-01-31T09:00:00Z', '2026-01-31', '2026-13-31T09:00:00Z', '2026-01-31T09:00+01:00'),
  }),
  systemPrompt: fc.constantFrom('x'.repeat(50), 'x'.repeat(49), '😀'.repeat(49), '😀'.repeat(50)),
  variables: fc.array(
    or(
      some({
        name: names.map(([one]) => one ?? 'ok'),
        type: fc.constantFrom('string', 'array', 'text'),
        required: fc.boolean(),
        default: fc.jsonValue(),
        description: fc.string(),
        volatile: fc.boolean(),
      }),
    ),
    { maxLength: 3 },
  ),
  inputSchema: fc.constantFrom('https://a/b.json', 'urn:x:y', 'a.json', '', 'https:'),
  outputSchema: fc.webUrl(),
  examples: fc.array(
    or(
      some({
        name: fc.string(),
        input: fc.jsonValue(),
        expectedOutput: fc.jsonValue(),
        variables: fc.object({ maxDepth: 1 }),
        ignore: fc.array(fc.constantFrom('/a', '/a~1b', '/a~2', 'a', '', '/')),
      }),
    ),
    { maxLength: 3 },
  ),
  constraints: fc.array(or(fc.string()), { maxLength: 3 }),
  refusalRules: fc.array(or(fc.string()), { maxLength: 3 }),
  extra: fc.jsonValue(),
})

/** A good pack with a few fields replaced: nearly all that is good or broken in just one place. */
const GOOD = { id: 'prompt-a-v1', agentId: 'a', version: '1.0.0', systemPrompt: 'x'.repeat(50), inputSchema: 'a:b', outputSchema: 'a:b' }
const nearlyGood = fc
  .tuple(anyPack, fc.subarray(Object.keys(packFormat.properties), { maxLength: 2 }))
  .map(([pack, keys]): Json => ({ ...GOOD, ...Object.fromEntries(Object.entries(pack).filter(([key]) => keys.includes(key))) }))
const anyPackAtAll = fc.oneof(nearlyGood, or(anyPack))

const anyRegistry = some({
  agents: fc.dictionary(
    fc.constantFrom('a', 'constructor', '__proto__', 'b/c'),
    or(
      some({
        active: version,
        versions: fc.dictionary(
          version,
          or(
            some({
              path: fc.string(),
              digest,
              semantic: digest,
              schemas: fc.dictionary(fc.webUrl(), or(fc.string())),
              status: fc.constantFrom('active', 'deprecated', 'retired', 'gone'),
            }),
          ),
          { maxKeys: 2 },
        ),
        history: fc.array(or(some({ from: fc.option(version), to: version, at: fc.string(), why: fc.string() })), { maxLength: 2 }),
      }),
    ),
    { maxKeys: 2 },
  ),
})

it('judges packs as ajv does, error by error', () => {
  fc.assert(
    fc.property(anyPackAtAll, value => agree('pack', value)),
    { numRuns: 2000 },
  )
})

it('judges registries as ajv does, error by error', () => {
  fc.assert(
    fc.property(or(anyRegistry), value => agree('registry', value)),
    { numRuns: 500 },
  )
})

it('generates good packs and broken ones', () => {
  const verdicts = fc.sample(anyPackAtAll, { numRuns: 500, seed: 1 }).map(value => judges.pack(value))
  expect(new Set(verdicts)).toEqual(new Set([true, false]))
})

it('does not take what every object has by birth for a field', () => {
  expect(checkForm({}, { required: ['toString'] }, 'It')).toEqual([{ pointer: [], keyword: 'required', message: 'It has no "toString"' }])
})
