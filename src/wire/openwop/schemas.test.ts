// Tests the schemas of the OpenWOP documents that we read and write. Each has documents that must pass, and documents that must fail for one named
// reason.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type AnySchema, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { interpretSchema } from '../../core/schema/interpret.ts'
import { closureOf, collectSchemas } from '../../core/schema/schemas.ts'

type Doc = { readonly [key: string]: Json | undefined }
type Failing = readonly [reason: string, document: unknown]
interface Table {
  readonly schema: string
  readonly passes: Readonly<Record<string, unknown>>
  /** Keyed by `<place> <keyword> <missing or additional property>`. */
  readonly fails: readonly Failing[]
}

const FOLDER = 'schemas/openwop'
const OPENWOP = 'https://openwop.dev/spec/v1/'
const files = readdirSync(FOLDER)
  .sort()
  .map(path => ({ path, text: readFileSync(`${FOLDER}/${path}`, 'utf8') }))
  .map(({ path, text }) => ({ path, text, schema: JSON.parse(text) as Record<string, Json> }))
const idOf = (name: string) => String(files.find(({ path }) => path === `${name}.schema.json`)?.schema.$id)

const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true })
formats.default(ajv)
for (const { schema } of files) ajv.addSchema(schema as AnySchema)

/** The document as JSON, without undefined fields. */
const wire = (document: unknown): Json => JSON.parse(JSON.stringify(document)) as Json
const but = (document: Doc, changes: Doc): Doc => ({ ...document, ...changes })
/** The document without one of these fields, for each field in turn. */
const missing = (document: Doc, names: readonly string[] = Object.keys(document)): Failing[] =>
  names.map(name => [`/ required ${name}`, but(document, { [name]: undefined })])
/** Several documents that fail for the same reason. */
const each = <T extends Json>(reason: string, values: readonly T[], within: (value: T) => unknown = value => value): Failing[] =>
  values.map(value => [reason, within(value)])
/** Each of the words must pass. */
const any = (words: string, within: (word: string) => unknown): Table['passes'] =>
  Object.fromEntries(words.split(' ').map(word => [word, within(word)]))
const x = (length: number) => 'x'.repeat(length)
const list = <T>(length: number, item: T): T[] => Array.from({ length }, () => item)

const TEMPLATE: Doc = { templateId: 'writer', version: '1.0.0', kind: 'system', text: 'Hello {{who}}' }
const VARIABLE: Doc = { name: 'who', type: 'string', required: true }
const withVariable = (changes: Doc) => but(TEMPLATE, { variables: [wire(but(VARIABLE, changes))] })
const withHints = (modelHints: Json) => but(TEMPLATE, { modelHints })
const withMeta = (meta: Json) => but(TEMPLATE, { meta })

const template: Table = {
  schema: 'prompt-template',
  passes: {
    'the four fields it needs': TEMPLATE,
    'every field': but(TEMPLATE, {
      name: 'Writer',
      description: 'Writes.',
      variables: [wire(but(VARIABLE, { source: 'secret', extractPath: '$.a', defaultValue: null, description: 'Who it is for.' }))],
      modelHints: { modelClass: 'writing', temperature: 0.3, maxTokens: 800, envelopeType: 'text' },
      tags: ['editorial'],
      meta: { author: 'a', createdAt: '2026-05-19T00:00:00Z', updatedAt: '2026-05-19T00:00:00.5+02:00', source: 'user' },
    }),
    'a template from a pack': withMeta({ source: 'pack', packName: 'vendor.acme.houseStyle', packVersion: '1.0.0-rc.1+b.2' }),
    'a pack name without a source': withMeta({ packName: 'core.a.b' }),
    ...any('host user', source => withMeta({ source })),
    'an empty text': but(TEMPLATE, { text: '' }),
    'no variables, hints, tags or provenance': but(TEMPLATE, { variables: [], modelHints: {}, tags: [], meta: {} }),
    'an id as long as can be': but(TEMPLATE, { templateId: x(128) }),
    'an id with digits, dots and dashes': but(TEMPLATE, { templateId: '0.a_b-c' }),
    'a text as long as can be': but(TEMPLATE, { text: x(65536) }),
    'a text counted in characters, not in units': but(TEMPLATE, { text: '😀'.repeat(65536) }),
    'a name as long as can be': but(TEMPLATE, { name: x(200) }),
    'a description as long as can be': but(TEMPLATE, { description: x(2000) }),
    'as many tags as can be, the longest': but(TEMPLATE, { tags: list(32, x(64)) }),
    'the shortest tag': but(TEMPLATE, { tags: ['x'] }),
    'the lowest hints': withHints({ temperature: 0, maxTokens: 1 }),
    'the highest temperature': withHints({ temperature: 2 }),
    'a variable with the longest name': withVariable({ name: x(64) }),
    'a variable with the longest description': withVariable({ description: x(500) }),
    ...any('system user few-shot schema-hint', kind => but(TEMPLATE, { kind })),
    ...any('string number boolean array object', type => withVariable({ type })),
    ...any('input variable secret context', source => withVariable({ source })),
  },
  fails: [
    ['/ type', []],
    ...missing(TEMPLATE, ['templateId', 'version', 'kind', 'text']),
    ['/ additionalProperties workspaceId', but(TEMPLATE, { workspaceId: 'w' })],
    ...each('/templateId pattern', [x(129), 'Writer', '.writer', '', 'writer\n'], templateId => but(TEMPLATE, { templateId })),
    ...each('/version pattern', ['1.0', 'v1.0.0', '1.0.0-', '1.0.0+'], version => but(TEMPLATE, { version })),
    ['/kind enum', but(TEMPLATE, { kind: 'assistant' })],
    ['/text maxLength', but(TEMPLATE, { text: x(65537) })],
    ['/name maxLength', but(TEMPLATE, { name: x(201) })],
    ['/description maxLength', but(TEMPLATE, { description: x(2001) })],
    ['/tags maxItems', but(TEMPLATE, { tags: list(33, 'a') })],
    ['/tags/0 minLength', but(TEMPLATE, { tags: [''] })],
    ['/tags/0 maxLength', but(TEMPLATE, { tags: [x(65)] })],
    ['/modelHints/temperature minimum', withHints({ temperature: -0.01 })],
    ['/modelHints/temperature maximum', withHints({ temperature: 2.01 })],
    ['/modelHints/maxTokens minimum', withHints({ maxTokens: 0 })],
    ['/modelHints/maxTokens type', withHints({ maxTokens: 1.5 })],
    ['/modelHints additionalProperties topP', withHints({ topP: 1 })],
    ['/meta required packName', withMeta({ source: 'pack', packVersion: '1.0.0' })],
    ['/meta required packVersion', withMeta({ source: 'pack', packName: 'core.a.b' })],
    ['/meta additionalProperties owner', withMeta({ owner: 'me' })],
    ['/meta/source enum', withMeta({ source: 'agent' })],
    ...each('/meta/packName pattern', ['core.a', 'local.a.b'], packName => withMeta({ packName })),
    ['/meta/packVersion pattern', withMeta({ packVersion: '^1.0.0' })],
    ['/meta/createdAt format', withMeta({ createdAt: 'yesterday' })],
    ['/meta/updatedAt format', withMeta({ updatedAt: '2026-05-19' })],
    ...['name', 'type', 'required'].map((name): Failing => [`/variables/0 required ${name}`, withVariable({ [name]: undefined })]),
    ['/variables/0 additionalProperties default', withVariable({ default: 'you' })],
    ...each('/variables/0/name pattern', [x(65), '1st', 'first-name', ''], name => withVariable({ name })),
    ['/variables/0/type enum', withVariable({ type: 'integer' })],
    ['/variables/0/source enum', withVariable({ source: 'env' })],
    ['/variables/0/description maxLength', withVariable({ description: x(501) })],
  ],
}

const ref: Table = {
  schema: 'prompt-ref',
  passes: {
    'an id alone': 'prompt:writer',
    'an id and a version': 'prompt:writer@1.2.0',
    'a version with all its parts': 'prompt:vendor.acme.writer_2@10.0.1-rc.1+build.7',
    'an id as long as can be': `prompt:${x(128)}@1.0.0`,
    'an id in an object': { templateId: 'writer' },
    'every field': { libraryId: 'vendor.acme.style', templateId: 'writer', version: '1.2.0-a', variableOverrides: { who: ['you', null] } },
    'ids as long as can be': { libraryId: x(128), templateId: x(128) },
    'no values': { templateId: 'writer', variableOverrides: {} },
  },
  fails: [
    ...each('/ pattern', ['', 'writer', 'prompt:', 'Prompt:writer', 'prompt:Writer', 'prompt:a/b', 'prompt:a:b', `prompt:${x(129)}`]),
    ...each('/ pattern', ['prompt:writer@', 'prompt:writer@1.2', 'prompt:writer@latest', 'prompt:writer ', 'prompt:writer@1.2.0\n']),
    ...each<Json>('/ oneOf', [null, ['prompt:writer'], 1]),
    ['/ required templateId', { version: '1.0.0' }],
    ['/ additionalProperties label', { templateId: 'writer', label: 'production' }],
    ...each('/templateId pattern', ['prompt:writer', x(129)], templateId => ({ templateId })),
    ...each('/libraryId pattern', ['vendor.acme.houseStyle', x(129)], libraryId => ({ templateId: 'writer', libraryId })),
    ['/version pattern', { templateId: 'writer', version: '1' }],
    ['/version type', { templateId: 'writer', version: null }],
    ['/variableOverrides type', { templateId: 'writer', variableOverrides: [] }],
  ],
}

const REFS = {
  system: 'prompt:a',
  user: 'prompt:b@1.0.0',
  'few-shot': { templateId: 'c' },
  'schema-hint': { templateId: 'd', libraryId: 'lib' },
}
/** Values that a closed map from kind to ref must refuse, in every place. */
const badRefs = (place: string, within: (refs: Json) => unknown): Failing[] => [
  [`${place} propertyNames assistant`, within({ assistant: 'prompt:a' })],
  [`${place} propertyNames fewShot`, within({ fewShot: 'prompt:a' })],
  [`${place}/system pattern`, within({ system: 'a' })],
  [`${place}/user oneOf`, within({ user: null })],
  [`${place}/few-shot oneOf`, within({ 'few-shot': ['prompt:a'] })],
  [`${place}/schema-hint additionalProperties id`, within({ 'schema-hint': { templateId: 'a', id: 'b' } })],
  [`${place} type`, within([])],
]

const AGENT: Doc = { agentId: 'vendor.acme.writer', persona: 'Writer', modelClass: 'writing', systemPrompt: 'You write.' }
const manifest: Table = {
  schema: 'agent-manifest',
  passes: {
    'an agent with its own text': AGENT,
    'an agent with its text in a file': but(AGENT, { systemPrompt: undefined, systemPromptRef: 'prompts/writer.md' }),
    'every field': but(AGENT, {
      promptLibraryRef: 'vendor.acme.style',
      promptOverrides: REFS,
      toolAllowlist: ['openwop:read'],
      requiresCapabilities: ['prompts'],
      memoryShape: { scratchpad: true },
      confidence: { defaultThreshold: 0.7 },
      handoff: { taskSchemaRef: 'schemas/task.json' },
      evalSuiteRef: 'evals/writer.json',
      label: 'Writer',
      description: 'Writes.',
    }),
    'no overrides': but(AGENT, { promptOverrides: {} }),
    'a local agent': but(AGENT, { agentId: 'local.a.b' }),
    'an id as long as can be': but(AGENT, { agentId: `core.a.${x(249)}` }),
    'the shortest persona': but(AGENT, { persona: 'x' }),
    'the longest persona': but(AGENT, { persona: x(200) }),
    'the longest library id': but(AGENT, { promptLibraryRef: x(128) }),
    ...any('reasoning writing coding research classification general', modelClass => but(AGENT, { modelClass })),
  },
  fails: [
    ['/ oneOf', but(AGENT, { systemPrompt: undefined })],
    ['/ oneOf', but(AGENT, { systemPromptRef: 'prompts/writer.md' })],
    ...missing(AGENT, ['agentId', 'persona', 'modelClass']),
    ['/ additionalProperties promptOverride', but(AGENT, { promptOverride: {} })],
    ['/ additionalProperties version', but(AGENT, { version: '1.0.0' })],
    ['/agentId maxLength', but(AGENT, { agentId: `core.a.${x(250)}` })],
    ['/agentId minLength', but(AGENT, { agentId: 'ab' })],
    ...each('/agentId pattern', ['core.writer', 'acme.writer.one', 'core.Acme.writer'], agentId => but(AGENT, { agentId })),
    ['/persona minLength', but(AGENT, { persona: '' })],
    ['/persona maxLength', but(AGENT, { persona: x(201) })],
    ['/modelClass enum', but(AGENT, { modelClass: 'vision' })],
    ['/systemPrompt minLength', but(AGENT, { systemPrompt: '' })],
    ['/toolAllowlist/0 minLength', but(AGENT, { toolAllowlist: [''] })],
    ['/memoryShape additionalProperties episodic', but(AGENT, { memoryShape: { episodic: true } })],
    ['/confidence/defaultThreshold maximum', but(AGENT, { confidence: { defaultThreshold: 2 } })],
    ['/handoff/taskSchemaRef minLength', but(AGENT, { handoff: { taskSchemaRef: '' } })],
    ['/label maxLength', but(AGENT, { label: x(101) })],
    ['/description maxLength', but(AGENT, { description: x(501) })],
    ...each('/promptLibraryRef pattern', ['', x(129)], promptLibraryRef => but(AGENT, { promptLibraryRef })),
    ...badRefs('/promptOverrides', promptOverrides => but(AGENT, { promptOverrides })),
  ],
}

const LIMITS = { clarificationRounds: 0, schemaRounds: 0, envelopesPerTurn: 0 }
const HOST: Doc = { protocolVersion: '1.0', supportedEnvelopes: [], schemaVersions: {}, limits: LIMITS }
const PROMPTS: Doc = { supported: true }
const withPrompts = (changes: Doc) => but(HOST, { prompts: wire(but(PROMPTS, changes)) })
const FULL = {
  supported: true,
  endpointsSupported: true,
  templateKinds: ['system', 'user', 'few-shot', 'schema-hint'],
  variableSources: ['input', 'variable', 'secret', 'context'],
  maxTemplateBytes: 65536,
  observability: 'full',
  packsSupported: true,
  mutableLibrary: true,
  library: { id: 'onbook', renderEndpoint: '/v1/prompts:render', maxRenderRequestBytes: 1 },
  defaults: REFS,
  agentBindings: true,
}
const FAMILIES = {
  prompts: FULL,
  secrets: { supported: true, scopes: ['tenant'], resolution: 'host-managed' },
  agents: { manifestRuntime: { supported: true, handoffValidation: false }, version: 5 },
  fixtures: ['conformance-prompt-end-to-end'],
}
const capabilities: Table = {
  schema: 'capabilities',
  passes: {
    'the root keys it needs': HOST,
    'families at the root and once more below': but(HOST, { ...FAMILIES, capabilities: FAMILIES }),
    'families only below, as older hosts have them': but(HOST, { capabilities: FAMILIES }),
    'families that are not about prompts': but(HOST, { replay: { supported: true }, capabilities: { replay: true } }),
    'envelopes, versions and further limits': but(HOST, {
      supportedEnvelopes: ['text'],
      schemaVersions: { text: 1 },
      limits: { ...LIMITS, maxNodes: 3 },
    }),
    'a host without prompts': withPrompts({ supported: false }),
    'the smallest limits': withPrompts({ maxTemplateBytes: 1, library: { maxRenderRequestBytes: 1 } }),
    'empty lists and maps': withPrompts({ templateKinds: [], variableSources: [], library: {}, defaults: {} }),
    ...any('off hashed full', observability => withPrompts({ observability })),
  },
  fails: [
    ['/ type', 'openwop'],
    ...missing(HOST),
    ...Object.keys(LIMITS).flatMap((name): Failing[] => [
      [`/limits required ${name}`, but(HOST, { limits: wire({ ...LIMITS, [name]: undefined }) })],
      [`/limits/${name} minimum`, but(HOST, { limits: { ...LIMITS, [name]: -1 } })],
      [`/limits/${name} type`, but(HOST, { limits: { ...LIMITS, [name]: 0.5 } })],
    ]),
    ['/supportedEnvelopes/0 type', but(HOST, { supportedEnvelopes: [1] })],
    ['/schemaVersions/text type', but(HOST, { schemaVersions: { text: '1' } })],
    ['/prompts required supported', withPrompts({ supported: undefined })],
    ['/prompts additionalProperties labels', withPrompts({ labels: true })],
    ['/prompts/templateKinds uniqueItems', withPrompts({ templateKinds: ['user', 'user'] })],
    ['/prompts/templateKinds/0 enum', withPrompts({ templateKinds: ['assistant'] })],
    ['/prompts/variableSources uniqueItems', withPrompts({ variableSources: ['input', 'input'] })],
    ['/prompts/variableSources/0 enum', withPrompts({ variableSources: ['env'] })],
    ['/prompts/maxTemplateBytes minimum', withPrompts({ maxTemplateBytes: 0 })],
    ['/prompts/maxTemplateBytes maximum', withPrompts({ maxTemplateBytes: 65537 })],
    ['/prompts/observability enum', withPrompts({ observability: 'on' })],
    ['/prompts/library additionalProperties name', withPrompts({ library: { name: 'a' } })],
    ['/prompts/library/maxRenderRequestBytes minimum', withPrompts({ library: { maxRenderRequestBytes: 0 } })],
    ['/prompts/library/renderEndpoint format', withPrompts({ library: { renderEndpoint: '\\ {' } })],
    ...badRefs('/prompts/defaults', defaults => withPrompts({ defaults })),
    ['/capabilities/prompts additionalProperties labels', but(HOST, { capabilities: { prompts: { supported: true, labels: true } } })],
    ['/capabilities type', but(HOST, { capabilities: [] })],
    ['/secrets required supported', but(HOST, { secrets: {} })],
    ['/secrets/resolution const', but(HOST, { secrets: { supported: true, resolution: 'client' } })],
    ['/agents/manifestRuntime required supported', but(HOST, { agents: { manifestRuntime: {} } })],
    ['/fixtures/0 type', but(HOST, { fixtures: [{}] })],
  ],
}

const PACK: Doc = {
  name: 'vendor.acme.style',
  version: '1.0.0',
  kind: 'prompt',
  engines: { openwop: '>=1.1.0' },
  prompts: [wire(TEMPLATE)],
}
const pack: Table = {
  schema: 'prompt-pack-manifest',
  passes: {
    'what it needs': PACK,
    'every field': but(PACK, {
      description: x(1024),
      author: 'a',
      license: 'Apache-2.0',
      homepage: 'https://acme.example',
      repository: 'https://acme.example/style',
      keywords: list(50, x(64)),
      engines: { openwop: '>=1.1.0 <2.0.0', node: '>=20' },
      dependencies: { 'vendor.acme.words': '^1.0.0' },
      signing: { publicKeyRef: 'key.pem', signatureRef: 'pack.sig', method: 'manual' },
    }),
    ...any('manual sigstore', method => but(PACK, { signing: { method } })),
    'a name as long as can be': but(PACK, { name: `core.a.${x(249)}` }),
  },
  fails: [
    ...missing(PACK),
    ...['nodes', 'chains', 'agents'].map((name): Failing => [`/ additionalProperties ${name}`, but(PACK, { [name]: [] })]),
    ['/kind const', but(PACK, { kind: 'node' })],
    ['/name maxLength', but(PACK, { name: `core.a.${x(250)}` })],
    ['/name pattern', but(PACK, { name: 'local.a.b' })],
    ['/version pattern', but(PACK, { version: '1' })],
    ['/prompts minItems', but(PACK, { prompts: [] })],
    ['/prompts/0 required text', but(PACK, { prompts: [wire(but(TEMPLATE, { text: undefined }))] })],
    ['/engines required openwop', but(PACK, { engines: {} })],
    ['/description maxLength', but(PACK, { description: x(1025) })],
    ['/keywords maxItems', but(PACK, { keywords: list(51, 'a') })],
    ['/keywords/0 maxLength', but(PACK, { keywords: [x(65)] })],
    ['/homepage format', but(PACK, { homepage: 'acme' })],
    ['/repository format', but(PACK, { repository: '/style' })],
    ['/dependencies/a type', but(PACK, { dependencies: { a: 1 } })],
    ['/signing/method enum', but(PACK, { signing: { method: 'pgp' } })],
    ['/signing additionalProperties key', but(PACK, { signing: { key: 'k' } })],
  ],
}

const EVENT: Doc = { eventId: 'e', runId: 'r', type: 'run.started', payload: {}, timestamp: '2026-05-19T00:00:00.000Z', sequence: 0 }
const event: Table = {
  schema: 'run-event',
  passes: {
    'the first event': EVENT,
    'every field, and one more': but(EVENT, { nodeId: 'n', schemaVersion: 0, engineVersion: '1', causationId: 'e', sequence: 9, more: 1 }),
    'a type of ours': but(EVENT, { type: 'onbook.prompt.frozen', payload: null }),
  },
  fails: [
    ...missing(EVENT),
    ['/sequence minimum', but(EVENT, { sequence: -1 })],
    ['/sequence type', but(EVENT, { sequence: 0.5 })],
    ['/schemaVersion minimum', but(EVENT, { schemaVersion: -1 })],
    ...['eventId', 'runId', 'nodeId', 'causationId'].map((name): Failing => [`/${name} minLength`, but(EVENT, { [name]: '' })]),
    ['/timestamp format', but(EVENT, { timestamp: '19 May' })],
    ...each('/type pattern', ['', 'started', 'run.', 'run started.now'], type => but(EVENT, { type })),
    ...each('/ type', [[], 'run.started']),
  ],
}

/** RFC 0029 §D, whose drawing says "node-config" where the enum says "node". */
const SECTION_D: Doc = {
  nodeId: 'writer',
  kind: 'system',
  resolved: 'prompt:experimental-writer@2.0.0',
  chain: [
    { layer: 'node', applied: true, source: 'prompt:experimental-writer@2.0.0' },
    { layer: 'agent-overrides', applied: false, source: 'prompt:editorial-house-style@1.0.0', reason: 'superseded' },
    { layer: 'workflow-defaults', applied: false },
    { layer: 'host-defaults', applied: false },
  ],
}
const LAYERS = 'run-configurable node agent-intrinsic agent-overrides agent-library-default workflow-defaults host-defaults'
const withEntry = (changes: Doc) => but(SECTION_D, { chain: [wire({ layer: 'node', applied: true, ...changes })] })
const promptResolved: Table = {
  schema: 'run-event-payloads#/$defs/agentPromptResolved',
  passes: {
    'the example of RFC 0029 §D': SECTION_D,
    'nothing resolved': but(SECTION_D, { chain: [{ layer: 'node', applied: false, reason: 'nothing here' }], resolved: null }),
    'an empty chain': but(SECTION_D, { chain: [], resolved: null }),
    ...any(LAYERS, layer => withEntry({ layer })),
    'an agent and a host': but(SECTION_D, { agentId: 'vendor.acme.writer', causationHostId: 'h' }),
    'a source that is no PromptRef': withEntry({ source: 'agent:vendor.acme.writer#systemPrompt' }),
  },
  fails: [
    ...missing(SECTION_D, ['nodeId', 'kind', 'chain', 'resolved']),
    ['/ additionalProperties hash', but(SECTION_D, { hash: 'sha256:' })],
    ['/kind enum', but(SECTION_D, { kind: 'system-only' })],
    ['/resolved type', but(SECTION_D, { resolved: { templateId: 'writer' } })],
    ...each('/chain/0/layer enum', ['node-config', 'agent', ''], layer => withEntry({ layer })),
    ['/chain/0 required layer', withEntry({ layer: undefined })],
    ['/chain/0 required applied', withEntry({ applied: undefined })],
    ['/chain/0 additionalProperties ref', withEntry({ ref: 'prompt:a' })],
    ['/chain/0/source type', withEntry({ source: null })],
  ],
}

const HASH = `sha256:${'0a'.repeat(32)}`
const COMPOSED: Doc = { nodeId: 'writer', refs: ['prompt:writer@1.0.0'], kind: 'system-only', hash: HASH }
const badHashes = [HASH.slice(0, -1), `${HASH}0`, `sha256:${'0A'.repeat(32)}`, HASH.slice(7), `sha512:${HASH.slice(7)}`]
const promptComposed: Table = {
  schema: 'run-event-payloads#/$defs/promptComposed',
  passes: {
    'a hash alone': COMPOSED,
    'a hash for every variable': but(COMPOSED, { variableHashes: { who: HASH, apiKey: HASH } }),
    'everything shown': but(COMPOSED, {
      composed: 'Hello [REDACTED:key]',
      systemPrompt: 'Hello [REDACTED:key]',
      userPrompt: '',
      variableBindings: { who: '[REDACTED:key]', n: 1 },
      variableHashes: {},
      contentTrust: 'untrusted',
      causationHostId: 'h',
    }),
    'several refs': but(COMPOSED, { refs: ['prompt:a', 'prompt:b@1.0.0-rc.1'] }),
    'no refs': but(COMPOSED, { refs: [] }),
    'trusted content': but(COMPOSED, { contentTrust: 'trusted' }),
    ...any('system+user system-only user-only agent-reasoning', kind => but(COMPOSED, { kind })),
  },
  fails: [
    ...missing(COMPOSED),
    ['/ additionalProperties libraryId', but(COMPOSED, { libraryId: 'lib' })],
    ...each('/kind enum', ['system', 'few-shot'], kind => but(COMPOSED, { kind })),
    ['/refs/0 type', but(COMPOSED, { refs: [{ templateId: 'writer' }] })],
    ...each('/refs/0 pattern', ['writer', 'prompt:lib:writer'], ref => but(COMPOSED, { refs: [ref] })),
    ['/contentTrust enum', but(COMPOSED, { contentTrust: 'unknown' })],
    ...each('/hash pattern', badHashes, hash => but(COMPOSED, { hash })),
    ...each('/variableHashes/who pattern', badHashes, who => but(COMPOSED, { variableHashes: { who } })),
  ],
}

/** Small schemas, most of them open: known fields must have the right type, and unknown fields pass. */
const small = (
  schema: string,
  whole: Doc,
  needs: readonly string[],
  wrong: Readonly<Record<string, Doc>>,
  more: readonly Doc[] = [],
): Table => ({
  schema,
  passes: {
    'every field': whole,
    'what it needs': Object.fromEntries(needs.map(name => [name, whole[name]])),
    ...Object.fromEntries(more.map(changes => [JSON.stringify(changes), but(whole, changes)])),
  },
  fails: [
    ['/ type', null],
    ...missing(whole, needs),
    ...Object.entries(wrong).map(([reason, changes]): Failing => [reason, but(whole, changes)]),
  ],
})
const PAYLOADS = 'run-event-payloads#/$defs/'
const LOG: Doc = { level: 'warn', message: 'No.', code: 'agent_binding_unresolvable', nodeId: 'n', fields: { agentId: 'a' }, more: 1 }
const DIVERGED: Doc = { sourceRunId: 'r', atSequence: 0, originalEventId: 'e', divergencePoint: 'prompt.composed', more: 1 }
const REQUEST: Doc = { ref: 'prompt:writer', variables: { key: '[REDACTED:key]' }, contentTrust: 'trusted', workspaceId: 'w', more: 1 }
const RESPONSE: Doc = { hash: HASH, refs: ['prompt:a@1.0.0'], variableHashes: { who: HASH }, composed: 'Hello', contentTrust: 'untrusted' }

const others: readonly Table[] = [
  {
    schema: 'prompt-kind',
    passes: any('system user few-shot schema-hint', kind => kind),
    fails: each<Json>('/ enum', ['System', '', null]),
  },
  small(`${PAYLOADS}runStarted`, { workflowId: 'w', inputs: {} }, ['workflowId'], { '/workflowId type': { workflowId: 1 } }),
  small(`${PAYLOADS}runCompleted`, { outputs: { text: 'a' } }, [], {}),
  small(`${PAYLOADS}runFailed`, { error: { code: 'c' }, failedNodeId: 'n' }, ['error'], { '/failedNodeId type': { failedNodeId: 1 } }),
  small(`${PAYLOADS}nodeStarted`, { nodeId: 'n', typeId: 't', attempt: 0 }, ['nodeId', 'typeId'], { '/attempt minimum': { attempt: -1 } }),
  small(`${PAYLOADS}nodeCompleted`, { nodeId: 'n', outputs: null }, ['nodeId'], { '/nodeId type': { nodeId: 1 } }),
  small(`${PAYLOADS}nodeFailed`, { nodeId: 'n', error: 'e' }, ['nodeId', 'error'], { '/nodeId type': { nodeId: 1 } }),
  small(
    `${PAYLOADS}logAppended`,
    LOG,
    ['level', 'message'],
    { '/level enum': { level: 'warning' }, '/message type': { message: null }, '/fields type': { fields: [] } },
    ['debug', 'info', 'warn', 'error'].map(level => ({ level })),
  ),
  small(
    `${PAYLOADS}replayDiverged`,
    DIVERGED,
    ['sourceRunId', 'atSequence'],
    {
      '/atSequence minimum': { atSequence: -1 },
      '/divergenceKind enum': { divergenceKind: 'hash' },
      '/divergencePoint type': { divergencePoint: 1 },
    },
    ['output', 'missing', 'extra', 'type-mismatch'].map(divergenceKind => ({ divergenceKind })),
  ),
  small('error', { error: 'e', message: 'No.', details: { id: 1 } }, ['error', 'message'], {
    '/ additionalProperties status': { status: 404 },
    '/error type': { error: { code: 'not_found', message: 'No.' } },
    '/error minLength': { error: '' },
    '/details type': { details: [] },
  }),
  small('render-request', REQUEST, ['ref', 'variables'], {
    '/ref pattern': { ref: 'writer' },
    '/variables type': { variables: [] },
    '/contentTrust enum': { contentTrust: 'maybe' },
    '/workspaceId type': { workspaceId: 1 },
  }),
  small('render-response', RESPONSE, ['hash', 'refs', 'variableHashes'], {
    '/hash pattern': { hash: 'sha256:' },
    '/refs/0 type': { refs: [{ templateId: 'a' }] },
    '/variableHashes/who pattern': { variableHashes: { who: '' } },
    '/contentTrust enum': { contentTrust: 'maybe' },
  }),
  small('prompt-list', { items: [wire(TEMPLATE)], nextCursor: 'c' }, ['items'], {
    '/items/0 required kind': { items: [wire(but(TEMPLATE, { kind: undefined }))] },
    '/nextCursor type': { nextCursor: null },
  }),
]

describe('the schemas', () => {
  it.each(files)('$path compiles, and finds all it refers to in its folder', ({ path, schema }) => {
    const { schemas, problems } = collectSchemas(files)
    expect(problems).toEqual([])
    expect(closureOf(String(schema.$id), schemas)).toMatchObject({ unresolved: [], faults: [] })
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(ajv.getSchema(String(schema.$id)), path).toBeTypeOf('function')
  })

  it('name the kinds in one place', () =>
    expect(files.filter(({ text }) => text.includes('few-shot')).map(({ path }) => path)).toEqual(['prompt-kind.schema.json']))

  it.each([
    ['run.started', {}],
    ['run.completed', null],
    ['run.failed', {}],
    ['node.started', {}],
    ['node.completed', {}],
    ['node.failed', {}],
    ['log.appended', {}],
    ['replay.diverged', {}],
    ['agent.promptResolved', wire(COMPOSED)],
    ['prompt.composed', wire(SECTION_D)],
  ])('know what %s carries', (type, wrong) => {
    const index = ajv.getSchema(`${OPENWOP}run-event-payloads.schema.json#/$defs/_typeIndex`)!
    index({ [type]: wrong })
    expect(index.errors?.[0]).toMatchObject({ instancePath: `/${type}` })
    expect(index({ 'vendor.event': {} })).toBe(false)
  })
})

describe.each([template, ref, manifest, capabilities, pack, event, promptResolved, promptComposed, ...others])(
  '$schema',
  ({ schema, passes, fails }) => {
    const [name, fragment] = schema.split('#')
    const reference = { $ref: `${idOf(name!)}${fragment === undefined ? '' : `#${fragment}`}` }
    const judge = ajv.compile(reference)
    const interpret = interpretSchema(
      reference,
      files.map(file => file.schema),
    )

    it.each(Object.entries(passes))('passes %s', (_, given) => {
      const document = wire(given)
      judge(document)
      expect(judge.errors ?? []).toEqual([])
      expect(interpret(document)).toEqual([])
    })

    it.each(fails)('fails with %s', (reason, given) => {
      const document = wire(given)
      judge(document)
      expect((judge.errors ?? []).map(reasonOf)).toContain(reason)
      expect(interpret(document)).not.toEqual([])
    })
  },
)

function reasonOf({ instancePath, keyword, params }: ErrorObject): string {
  const property = params.missingProperty ?? params.additionalProperty ?? params.propertyName
  return [instancePath === '' ? '/' : instancePath, keyword, ...(property === undefined ? [] : [property])].join(' ')
}
