import { readFileSync } from 'node:fs'
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import { MAX_BUNDLE_BYTES, readManifest } from './manifest.ts'

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const read = (value: unknown) => readManifest(bytesOf(value), 65_536)
const said = (value: unknown) => read(value).problems.map(({ code, message }) => `${code}: ${message}`)

const WRITER = { templateId: 'writer', version: '1.0.0', kind: 'system', text: 'Write.' }
const BUNDLE = { name: 'vendor.acme.prompts', version: '1.0.0', kind: 'prompt', engines: { openwop: '^1.0.0' }, prompts: [WRITER] }
const withWriter = (more: object) => ({ ...BUNDLE, prompts: [{ ...WRITER, ...more }] })

const EVERYTHING = {
  ...BUNDLE,
  description: 'Prompts.',
  author: 'Acme',
  license: 'MIT',
  homepage: 'https://acme.example/',
  repository: 'https://acme.example/git',
  keywords: ['writing'],
  engines: { openwop: '>=1.0.0 <3.0.0', other: true },
  dependencies: { 'vendor.acme.base': '^1.0.0', 'core.base.prompts': '*' },
  signing: { publicKeyRef: '../key.pem', signatureRef: '/etc/passwd', method: 'manual' },
  prompts: [
    {
      ...WRITER,
      text: 'Write about {{topic}}, {{#each parts}}{{this}}{{/each}} in run {{runId}}.',
      name: 'Writer',
      description: 'Writes.',
      variables: [
        { name: 'topic', type: 'string', required: true, source: 'input', description: 'What about.' },
        { name: 'parts', type: 'array', required: false, defaultValue: [{ deep: 1 }], extractPath: '$.parts' },
      ],
      modelHints: { modelClass: 'writing', temperature: 0.5, maxTokens: 100, envelopeType: 'text' },
      tags: ['default'],
      meta: {
        author: 'Ada',
        createdAt: '2026-01-31T09:00:00Z',
        updatedAt: '2026-01-31T09:00:00Z',
        source: 'pack',
        packName: 'vendor.acme.prompts',
        packVersion: '1.0.0',
      },
    },
    { ...WRITER, version: '1.1.0' },
  ],
}

describe('a manifest', () => {
  it.each([
    ['with the fields it needs', BUNDLE],
    ['with every field', EVERYTHING],
  ])('%s is taken', (_, manifest) => {
    expect(read(manifest)).toEqual({ manifest, problems: [] })
  })

  const refused: readonly [why: string, manifest: unknown, problems: readonly string[]][] = [
    ['text that is no JSON', '{"name":', ['bundle_invalid: pack.json is not JSON: at character 9, it ends too early']],
    [
      'a byte order mark',
      `\ufeff${JSON.stringify(BUNDLE)}`,
      ['bundle_invalid: pack.json is not JSON: at character 1, unexpected "\ufeff"'],
    ],
    ['a list', [BUNDLE], ['bundle_invalid: pack.json is not an object']],
    [
      'a key twice',
      JSON.stringify(BUNDLE).replace('{', '{"version":"9.9.9",'),
      ['bundle_invalid: pack.json has a key twice in one object'],
    ],
    ['half a surrogate pair', JSON.stringify(withWriter({ text: '\ud800' })), [expect.stringContaining('half a surrogate pair')]],
    ['a number without end', JSON.stringify(BUNDLE).replace('"^1.0.0"', '1e999'), [expect.stringContaining('an invalid number')]],
    ['a pack of another kind', { ...BUNDLE, kind: 'node' }, ['pack_kind_invalid: its kind is not "prompt"']],
    ['no kind', { ...BUNDLE, kind: undefined }, ['pack_kind_invalid: its kind is not "prompt"']],
    ...['nodes', 'chains', 'agents'].map((key): [string, unknown, string[]] => [
      `${key} beside prompts, even none`,
      { ...BUNDLE, [key]: [] },
      [`pack_kind_invalid: "${key}" stand beside its prompts: a bundle has prompts alone`],
    ]),
    ['a field nobody knows', { ...BUNDLE, scripts: {} }, ['bundle_invalid: pack.json: there is no field "scripts"']],
    ['a name without a scope', { ...BUNDLE, name: 'acme.prompts' }, ['bundle_invalid: name: String does not match pattern']],
    [
      'a version that semver does not know',
      { ...BUNDLE, version: '01.0.0' },
      ['bundle_invalid: version "01.0.0" is not one of SemVer 2.0.0'],
    ],
    ['no prompts', { ...BUNDLE, prompts: [] }, ['bundle_invalid: prompts: Array has too few items (0 < 1)']],
    [
      'another protocol',
      { ...BUNDLE, engines: { openwop: '^2.0.0' } },
      [expect.stringMatching(/^bundle_invalid: engines\/openwop: "\^2\.0\.0" includes no/)],
    ],
    [
      'a range that is none',
      { ...BUNDLE, engines: { openwop: 'soon' } },
      [expect.stringMatching(/^bundle_invalid: engines\/openwop: "soon"/)],
    ],
    ['no engine of ours', { ...BUNDLE, engines: { other: '1' } }, ['bundle_invalid: engines: does not have required property "openwop"']],
    [
      'a dependency without a range',
      { ...BUNDLE, dependencies: { 'vendor.acme.base': 'soon' } },
      ['bundle_invalid: dependencies/vendor.acme.base: "soon" is not a range of versions'],
    ],
    [
      'a dependency that is no bundle',
      { ...BUNDLE, dependencies: { base: '*' } },
      [expect.stringContaining('"base"'), 'bundle_invalid: dependencies/base: String does not match pattern'],
    ],
    [
      'a variable that no text could name',
      withWriter({ variables: [{ name: 'a b', type: 'string', required: true }] }),
      ['prompt_template_invalid: prompt:writer@1.0.0/variables/0/name: String does not match pattern'],
    ],
    ['a template twice', { ...BUNDLE, prompts: [WRITER, WRITER] }, ['prompt_template_invalid: prompt:writer@1.0.0 is in it twice']],
    [
      'a template without an id',
      { ...BUNDLE, prompts: [{ ...WRITER, templateId: 'Bad ID' }] },
      ['prompt_template_invalid: prompt:Bad ID@1.0.0/templateId: String does not match pattern'],
    ],
    ['a template that is none', { ...BUNDLE, prompts: [7] }, [expect.stringMatching(/^prompt_template_invalid: prompts\/0: type/)]],
    [
      'a field nobody knows in a template',
      withWriter({ script: 1 }),
      ['prompt_template_invalid: prompt:writer@1.0.0: there is no field "script"'],
    ],
    [
      'a text that does not parse',
      withWriter({ text: '{{#if x}}' }),
      [expect.stringMatching(/^prompt_template_invalid: prompt:writer@1\.0\.0: text: /)],
    ],
    [
      'a variable nobody declared',
      withWriter({ text: '{{topic}} {{now}}' }),
      ['prompt_template_invalid: prompt:writer@1.0.0 uses {{topic}} and does not declare it'],
    ],
    [
      'a variable inside a block that nobody declared',
      withWriter({ text: '{{#if a}}{{b}}{{/if}}' }),
      [expect.stringContaining('{{a}}'), expect.stringContaining('{{b}}')],
    ],
    [
      'a variable that is declared twice',
      withWriter({ variables: [1, 2].map(() => ({ name: 'a', type: 'string', required: true })) }),
      [expect.stringContaining('"a" is declared twice')],
    ],
    [
      'a digest where an event would take it for an object',
      withWriter({ modelHints: { modelClass: `sha256:${'a'.repeat(64)}` } }),
      [expect.stringContaining('modelHints/modelClass')],
    ],
    [
      'a source without the pack it names',
      withWriter({ meta: { source: 'pack', packName: 'vendor.a.b' } }),
      ['prompt_template_invalid: prompt:writer@1.0.0/meta: does not have required property "packVersion"'],
    ],
  ]
  it.each(refused)('is refused for %s', (_, manifest, problems) => expect(said(manifest)).toEqual(problems))

  it('is refused for bytes that are no text', () => {
    expect(readManifest(Uint8Array.of(0x7b, 0xff, 0x7d), 65_536).problems).toMatchObject([{ message: 'pack.json is not valid UTF-8' }])
  })

  it('is refused for a text that is longer than the host takes, in bytes', () => {
    expect(readManifest(bytesOf(withWriter({ text: 'ä' })), 1).problems).toMatchObject([{ code: 'prompt_template_invalid' }])
    expect(readManifest(bytesOf(withWriter({ text: 'ä' })), 2).problems).toEqual([])
  })

  it('is refused unread when it is huge, and when it is deep', () => {
    expect(readManifest(new Uint8Array(MAX_BUNDLE_BYTES + 1), 1).problems).toMatchObject([{ code: 'bundle_invalid' }])
    expect(said(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)).toEqual([expect.stringContaining('nested more than 64 deep')])
  })

  it('says everything that is wrong at once', () => {
    const broken = {
      ...BUNDLE,
      nodes: [],
      extra: 1,
      prompts: [
        { ...WRITER, kind: 'poem' },
        { ...WRITER, text: '{{x}}' },
      ],
    }
    expect(said(broken).map(problem => problem.split(':')[0])).toEqual([
      'pack_kind_invalid',
      'prompt_template_invalid',
      'bundle_invalid',
      'prompt_template_invalid',
    ])
  })
})

describe('beside the schema that OpenWOP publishes', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const load = (name: string) => JSON.parse(readFileSync(`schemas/openwop/${name}.schema.json`, 'utf8')) as AnySchema
  for (const name of ['prompt-kind', 'prompt-template']) ajv.addSchema(load(name))
  const published = ajv.compile(load('prompt-pack-manifest'))

  /** For every place: lengths just over a limit, words that fit elsewhere, and what is of another type. */
  const odd: readonly Json[] = [
    ...[null, true, -1, 0.5, 3, [], [''], [1], {}, '', 'A', '1.0.0', '01.0.0', 'pack', 'prompt', 'not a uri'],
    ...[65, 201, 501, 1025, 2001, 65_537].map(length => 'x'.repeat(length)),
    Array.from({ length: 51 }, () => 'x'),
  ]
  const everything = EVERYTHING as unknown as Json

  it.each(placesIn(everything).map(path => [path.join('/'), path] as const))('never takes what that refuses: at "%s"', (_, path) => {
    const manifests = [
      changed(everything, path, 'drop', null),
      ...odd.flatMap(value => [changed(everything, path, 'set', value), changed(everything, path, 'add', value)]),
    ]
    for (const manifest of manifests)
      if (read(manifest).problems.length === 0) expect(published(manifest), JSON.stringify(published.errors)).toBe(true)
  })

  it('takes its example', () => expect(published(EVERYTHING)).toBe(true))
})

/** Every field and item, at any depth. */
function placesIn(value: Json, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner as Json, [...path, key]))]
}

function changed(whole: Json, [key, ...rest]: readonly string[], change: string, value: Json): Json {
  if (key === undefined) {
    if (change !== 'add') return value
    return typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? { ...(whole as JsonObject), more: value } : whole
  }
  const copy = structuredClone(whole) as Record<string, Json>
  if (rest.length === 0 && change === 'drop') {
    if (Array.isArray(copy)) copy.splice(Number(key), 1)
    else delete copy[key]
  } else copy[key] = changed(copy[key]!, rest, change, value)
  return copy
}
