// Tests the cases of spec/resolve in the record and on the wire, and the properties that all payloads share.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import type { PromptKind } from '../../core/pack/compile.ts'
import { type BoundAgent, type KindRefs, LAYERS, type ResolveRequest } from '../../core/resolve/layers.ts'
import { type Found, KINDS, type Lookup, type Resolution, resolveKind, resolveNode } from '../../core/resolve/resolve.ts'
import { type PromptResolved, toPromptResolved } from './prompt-resolved.ts'

interface Expected {
  readonly resolved: string | null
  readonly chain: readonly string[]
  readonly agentId?: string
  readonly fault?: string
  readonly codes?: readonly string[]
  readonly libraryId?: string
  readonly variableOverrides?: Json
}
interface Case {
  readonly name: string
  readonly why: string
  readonly kind: PromptKind
  readonly node: ResolveRequest['config']
  readonly agent?: {
    readonly agentId: string
    readonly intrinsic?: string
    readonly promptOverrides?: KindRefs
    readonly promptLibraryRef?: string
  }
  readonly agentBindings?: boolean
  readonly run?: KindRefs
  readonly workflow?: KindRefs
  readonly host?: KindRefs
  readonly expect: readonly Expected[]
  readonly warnings?: readonly string[]
}
const { cases } = JSON.parse(readFileSync('spec/resolve/cases.json', 'utf8')) as { cases: readonly Case[] }

const found = (libraryId: string, templateId: string, version: string): Found => ({
  status: 'found',
  template: { libraryId, templateId, version, digest: digestText(`${libraryId}/${templateId}@${version}`) },
  meant: 'newest',
})
/** The lookup that spec/resolve/cases.json describes. */
const lookup: Lookup = {
  find({ templateId, version, libraryId }) {
    if (templateId.startsWith('missing-')) return { status: 'missing' }
    if (templateId.startsWith('twin-') && libraryId === null) return { status: 'ambiguous', libraries: ['one', 'two'] }
    return found(libraryId ?? 'main', templateId, version ?? '9.0.0')
  },
  defaultOf(libraryId, kind) {
    if (libraryId === 'not-installed') return null
    return libraryId === 'bare' ? { status: 'missing' } : found(libraryId, `default-${kind}`, '1.0.0')
  },
}

function boundAgent({ agentId, intrinsic, promptOverrides = {}, promptLibraryRef = '' }: NonNullable<Case['agent']>): BoundAgent {
  const [templateId = '', version = ''] = intrinsic?.replace('prompt:', '').split('@') ?? []
  const own = intrinsic === undefined ? null : { templateId, version, digest: digestText(intrinsic) }
  return { agentId, intrinsic: own, promptOverrides, promptLibraryRef: promptLibraryRef === '' ? null : promptLibraryRef }
}

const requestOf = ({ node, agent, agentBindings = true, run = {}, workflow = {}, host = {} }: Case): ResolveRequest => ({
  nodeId: 'writer',
  config: node,
  agent: agent === undefined ? null : boundAgent(agent),
  agentBindings,
  runOverrides: run,
  workflowDefaults: workflow,
  hostDefaults: host,
})

const printed = ({ chain }: PromptResolved) =>
  chain.map(({ layer, source, applied }) => `${applied ? '✓' : '✗'} ${layer} (${source ?? 'none'})`)

describe('spec/resolve/cases.json', () => {
  it.each(cases)('$name: $why', one => {
    const { resolutions, warnings } = resolveNode(requestOf(one), lookup)
    const here = resolutions.filter(({ kind }) => kind === one.kind)
    expect(here.map(({ slot }) => slot)).toEqual(one.expect.map((_, index) => index))
    one.expect.forEach((expected, index) => void check(here[index]!, expected))
    expect(warnings.map(({ code }) => code)).toEqual(one.warnings ?? [])
  })

  it('gives every case a name of its own', () => expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length))
})

function check(resolution: Resolution, { resolved, chain, agentId, fault, codes, libraryId, variableOverrides }: Expected) {
  const payload = toPromptResolved(resolution)
  expect(printed(payload)).toEqual(chain)
  expect(payload).toMatchObject({ nodeId: 'writer', kind: resolution.kind, resolved })
  expect(payload.agentId).toBe(agentId)
  expect(resolution.fault?.code).toBe(fault)
  if (codes !== undefined) expect(resolution.trace.map(({ code }) => code)).toEqual(codes)
  if (libraryId !== undefined) expect(resolution.resolved?.libraryId).toBe(libraryId)
  if (variableOverrides !== undefined) expect(resolution.variableOverrides).toEqual(variableOverrides)
}

/** The payload schema of RFC 0029 §B, closed. */
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['nodeId', 'kind', 'chain', 'resolved'],
  properties: {
    nodeId: { type: 'string' },
    kind: { enum: ['system', 'user', 'few-shot', 'schema-hint'] },
    agentId: { type: 'string' },
    causationHostId: { type: 'string' },
    chain: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['layer', 'applied'],
        properties: { layer: { enum: LAYERS }, source: { type: 'string' }, applied: { type: 'boolean' }, reason: { type: 'string' } },
      },
    },
    resolved: { type: ['string', 'null'] },
  },
}
const isPayload = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema)

const refs = ['prompt:a@1.0.0', 'prompt:b', 'prompt:missing-c@1.0.0', 'prompt:twin-d', { templateId: 'e', libraryId: 'two' }]
const nothing = [undefined, null, '']
const malformed = ['prompt:Not Valid!!', 'prompt:\ud800', 7, [], { templateId: 'a', extra: 1 }]
const slot = fc.constantFrom<Json | undefined>(...refs, ...nothing, ...nothing, ...malformed)
const byKind = fc.record({ system: slot, user: slot, 'few-shot': slot, 'schema-hint': slot }) as fc.Arbitrary<KindRefs>
const agent = fc.record({
  agentId: fc.constant('vendor.acme.writer'),
  intrinsic: fc.option(fc.constant({ templateId: 'agent-intrinsic.vendor.acme.writer', version: '1.0.0', digest: digestText('i') })),
  promptOverrides: byKind,
  promptLibraryRef: fc.constantFrom(null, 'house', 'bare', 'not-installed'),
})
const config = fc.record({
  agentId: fc.constantFrom<Json | undefined>('vendor.acme.writer', undefined, '', 'nobody\ud800'),
  systemPromptRef: slot,
  userPromptRef: slot,
  schemaHintPromptRef: slot,
  fewShotPromptRefs: fc.array(slot, { maxLength: 4 }),
  additionalPromptRefs: fc.array(slot, { maxLength: 2 }),
}) as unknown as fc.Arbitrary<ResolveRequest['config']>
const anyRequest: fc.Arbitrary<ResolveRequest> = fc.record({
  nodeId: fc.constant('writer'),
  config,
  agent: fc.option(agent),
  agentBindings: fc.boolean(),
  runOverrides: byKind,
  workflowDefaults: byKind,
  hostDefaults: byKind,
})

const always = (claim: (payload: PromptResolved, resolution: Resolution, request: ResolveRequest) => void) =>
  fc.assert(
    fc.property(anyRequest, fc.constantFrom(...KINDS), (request, kind) => {
      for (const resolution of resolveKind(request, kind, lookup)) claim(toPromptResolved(resolution), resolution, request)
    }),
    { numRuns: 1000 },
  )
const isOrdinary = ({ trace }: Resolution) => trace.length === LAYERS.length

describe('every payload', () => {
  it('has the closed fields and nothing else', () =>
    always(payload => {
      expect(isPayload(payload), JSON.stringify(isPayload.errors)).toBe(true)
      for (const entry of payload.chain) expect(Object.values(entry)).not.toContain(undefined)
    }))

  it('passes through JSON unchanged, and can be named by its digest', () =>
    always((payload, resolution) => {
      expect(JSON.parse(JSON.stringify(payload))).toStrictEqual(payload)
      for (const value of [payload, resolution]) expect(JSON.parse(canonicalJson(value as unknown as Json))).toStrictEqual(value)
    }))

  it('has node, agent, workflow and host in their places, and the run in front only when it said something', () =>
    always(({ chain }, resolution, { runOverrides }) => {
      if (!isOrdinary(resolution)) return
      const spoke = (runOverrides?.[resolution.kind] ?? '') !== ''
      const layers = chain.map(({ layer }) => layer.replace(/^agent-.*/, 'agent'))
      expect(layers).toEqual([...(spoke ? ['run-configurable'] : []), 'node', 'agent', 'workflow-defaults', 'host-defaults'])
    }))

  it('says exactly once what was applied, or never', () =>
    always(({ chain, resolved }, resolution) => {
      const applied = chain.filter(entry => entry.applied)
      expect(applied.map(({ source }) => source)).toEqual(resolved === null ? [] : [resolved])
      expect(resolved === null).toBe(resolution.resolved === null)
    }))

  it('gives every layer that was not applied a reason', () =>
    always(({ chain }) => {
      for (const { applied, reason } of chain) expect(reason === undefined).toBe(applied)
    }))

  it('speaks of an intrinsic prompt only for kind system', () =>
    always(({ chain, kind }) => {
      if (kind !== 'system') expect(chain.map(({ layer }) => layer)).not.toContain('agent-intrinsic')
    }))

  it('names an agent only when the node names one that is known', () =>
    always((payload, _, { agent, config }) => {
      const known = agent !== null && (config.agentId ?? '') !== ''
      expect('agentId' in payload).toBe(known)
      if (known) expect(payload.agentId).toBe(agent.agentId)
    }))
})

it('resolves refs to templates that nobody has, for a lookup that believes them: so the published suite asks', () => {
  const believing: Lookup = { ...lookup, find: ({ templateId, version }) => found('main', templateId, version ?? '0.0.0') }
  const request: ResolveRequest = {
    nodeId: 'writer',
    config: { systemPromptRef: 'prompt:missing-writer@2.0.0' },
    agent: null,
    agentBindings: true,
  }
  expect(resolveKind(request, 'system', believing).map(toPromptResolved)).toMatchObject([{ resolved: 'prompt:missing-writer@2.0.0' }])
})
