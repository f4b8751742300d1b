// The resolver against a second one, written from the OpenWOP fact sheet §3, §4 and §11 alone; and what holds for every walk.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { canonicalJson, digestText, type Json } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'
import { type BoundAgent, configOf, type KindRefs, LAYERS, type Layer, type ResolveRequest } from './layers.ts'
import { type Found, KINDS, type Lookup, type Resolution, resolveKind, resolveNode } from './resolve.ts'

// ── The library. An id says what the library has for it, so that the oracle needs no library of its own.

const found = (libraryId: string, templateId: string, version: string): Found => ({
  status: 'found',
  template: { libraryId, templateId, version, digest: digestText(`${libraryId}/${templateId}@${version}`) },
  meant: 'newest',
})
const lookup: Lookup = {
  find({ templateId, version, libraryId, label }) {
    if (templateId.startsWith('missing')) return { status: 'missing' }
    if (templateId.startsWith('twin') && libraryId === null) return { status: 'ambiguous', libraries: ['one', 'two'] }
    return found(libraryId ?? 'main', templateId, version ?? (label === null ? '9.0.0' : '5.0.0'))
  },
  defaultOf(libraryId, kind) {
    if (libraryId === 'not-installed') return null
    if (libraryId === 'twins') return { status: 'ambiguous', libraries: ['one', 'two'] }
    return libraryId === 'bare' ? { status: 'missing' } : found(libraryId, `default-${kind}`, '1.0.0')
  },
}

// ── The oracle: nested ifs, on purpose.

interface Verdict {
  readonly slot: number
  readonly resolved: string | null
  readonly by: Layer | null
  readonly library: string | null
  readonly overrides: Json
  readonly fault: string | null
  /** By layer, what it offered; layers that offered nothing are not there. */
  readonly sources: Readonly<Record<string, string>>
}

const REF = /^prompt:([a-z0-9][a-z0-9._-]{0,127})(?:@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?))?$/
const NAME = /^[a-z0-9][a-z0-9._-]{0,127}$/
const NUMBER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

type Offer = { ref: string; library: string; overrides: Json } | { fault: string; ref: string | null } | null

/** The meaning of a value at a layer: nothing, a ref to apply, or a ref that cannot be resolved. */
function offerOf(value: Json | undefined): Offer {
  if (value === undefined || value === null || value === '') return null
  let [id, version, library, overrides]: [string, string | undefined, string | undefined, Json] = ['', undefined, undefined, null]
  if (typeof value === 'string') {
    const match = REF.exec(value)
    if (match === null) return { fault: 'prompt_ref_invalid', ref: null }
    id = match[1]!
    version = match[2]
  } else {
    const invalid = { fault: 'prompt_ref_invalid', ref: null }
    if (typeof value !== 'object' || Array.isArray(value)) return invalid
    const object = value as Record<string, Json>
    for (const key of Object.keys(object)) {
      if (key === 'templateId') {
        if (typeof object[key] !== 'string' || !NAME.test(object[key])) return invalid
        id = object[key]
      } else if (key === 'libraryId') {
        if (typeof object[key] !== 'string' || !NAME.test(object[key])) return invalid
        library = object[key]
      } else if (key === 'version') {
        if (typeof object[key] !== 'string' || !NUMBER.test(object[key])) return invalid
        version = object[key]
      } else if (key === 'variableOverrides') {
        if (typeof object[key] !== 'object' || object[key] === null || Array.isArray(object[key])) return invalid
        overrides = object[key]
      } else return invalid
    }
    if (id === '') return invalid
  }
  const asWritten = version === undefined ? `prompt:${id}` : `prompt:${id}@${version}`
  if (id.startsWith('missing')) return { fault: 'prompt_template_not_found', ref: asWritten }
  if (id.startsWith('twin') && library === undefined) return { fault: 'prompt_ref_ambiguous', ref: asWritten }
  return { ref: `prompt:${id}@${version ?? '9.0.0'}`, library: library ?? 'main', overrides }
}

function expectedOf(request: ResolveRequest, kind: PromptKind): readonly Verdict[] {
  const { config } = request
  if (kind === 'system') return [expectedSlot(request, kind, config.systemPromptRef, 0)]
  if (kind === 'user') return [expectedSlot(request, kind, config.userPromptRef, 0)]
  if (kind === 'schema-hint') return [expectedSlot(request, kind, config.schemaHintPromptRef, 0)]
  const entries: Json[] = []
  for (const entry of config.fewShotPromptRefs as readonly Json[]) if (entry !== null && entry !== '') entries.push(entry)
  const verdicts: Verdict[] = []
  if (entries.length === 0) verdicts.push(expectedSlot(request, kind, undefined, 0))
  else if (offerOf(request.runOverrides?.[kind]) !== null) verdicts.push(expectedSlot(request, kind, entries[0], 0))
  else for (const entry of entries) verdicts.push(expectedSlot(request, kind, entry, verdicts.length))
  for (const entry of config.additionalPromptRefs as readonly Json[]) {
    if (entry === null || entry === '') continue
    verdicts.push(expectedSlot({ nodeId: '', config: {}, agent: null, agentBindings: false }, kind, entry, verdicts.length))
  }
  return verdicts
}

function expectedSlot(request: ResolveRequest, kind: PromptKind, nodeRef: Json | undefined, slot: number): Verdict {
  const offers: [Layer, Offer][] = []
  offers.push(['run-configurable', offerOf(request.runOverrides?.[kind])])
  offers.push(['node', offerOf(nodeRef)])
  const { agentId } = request.config
  if (request.agentBindings) {
    if (agentId !== undefined && agentId !== null && agentId !== '') {
      if (request.agent !== null) {
        const { intrinsic, promptOverrides, promptLibraryRef } = request.agent
        if (kind === 'system' && intrinsic !== null) {
          const ref = `prompt:${intrinsic.templateId}@${intrinsic.version}`
          offers.push(['agent-intrinsic', { ref, library: 'agents', overrides: null }])
        }
        offers.push(['agent-overrides', offerOf(promptOverrides[kind])])
        if (promptLibraryRef === 'house') {
          offers.push(['agent-library-default', { ref: `prompt:default-${kind}@1.0.0`, library: 'house', overrides: null }])
        }
      }
    }
  }
  offers.push(['workflow-defaults', offerOf(request.workflowDefaults?.[kind])])
  offers.push(['host-defaults', offerOf(request.hostDefaults?.[kind])])

  const sources: Record<string, string> = {}
  for (const [layer, offer] of offers) if (offer !== null && offer.ref !== null) sources[layer] = offer.ref
  for (const [layer, offer] of offers) {
    if (offer === null) continue
    if ('fault' in offer) return { slot, resolved: null, by: null, library: null, overrides: null, fault: offer.fault, sources }
    return { slot, resolved: offer.ref, by: layer, library: offer.library, overrides: offer.overrides, fault: null, sources }
  }
  return { slot, resolved: null, by: null, library: null, overrides: null, fault: null, sources }
}

function expectedWarnings({ config, agent, agentBindings }: ResolveRequest): readonly string[] {
  const warnings: string[] = []
  const beside = (ref: string, inline: string) =>
    offerOf(config[ref]) !== null && typeof config[inline] === 'string' && config[inline] !== ''
  if (
    beside('systemPromptRef', 'systemPrompt') ||
    beside('userPromptRef', 'userPrompt') ||
    beside('schemaHintPromptRef', 'schemaHintPrompt')
  )
    warnings.push('prompt_ref_supersedes_inline')
  if (agentBindings && config.agentId !== undefined && config.agentId !== '') {
    if (agent === null) warnings.push('agent_binding_unresolvable')
    else if (agent.promptLibraryRef === 'not-installed') warnings.push('agent_library_unresolvable')
  }
  return warnings
}

const verdictOf = ({ slot, resolved, variableOverrides, fault, trace }: Resolution): Verdict => ({
  slot,
  resolved: resolved === null ? null : `prompt:${resolved.templateId}@${resolved.version}`,
  by: trace.find(({ applied }) => applied)?.layer ?? null,
  library: resolved?.libraryId ?? null,
  overrides: variableOverrides,
  fault: fault?.code ?? null,
  sources: Object.fromEntries(trace.flatMap(({ layer, ref }) => (ref === null ? [] : [[layer, ref]]))),
})

// ── Requests of every sort.

const MALFORMED: readonly Json[] = [
  ...['prompt:Not Valid!!', 'writer@1.0.0', 'prompt:a@production', 'prompt:a@1.0', 'prompt:', ' ', 'prompt:a@1.0.0\n', 'prompt:\ud800'],
  ...[0, false, 7, [], ['prompt:a@1.0.0'], {}, { templateId: 'A' }, { templateId: 'a', extra: 1 }, { templateId: 'a', version: null }],
  ...[{ templateId: 'a', libraryId: '' }, { templateId: 'a', variableOverrides: [] }, { version: '1.0.0' }],
]
const templateId = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^good-[a-z0-9]{1,6}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^missing-[a-z]{1,3}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^twin-[a-z]{1,3}$/) },
)
const version = fc.constantFrom('1.0.0', '2.3.4', '0.0.0', '1.0.0-rc.1', '1.0.0+b7')
const textRef = fc
  .tuple(templateId, fc.option(version))
  .map(([id, version]) => (version === null ? `prompt:${id}` : `prompt:${id}@${version}`))
const objectRef = fc.record(
  {
    templateId,
    version,
    libraryId: fc.constantFrom('one', 'two', 'agents'),
    variableOverrides: fc.dictionary(fc.constantFrom('tone', 'n'), fc.nat(9)),
  },
  { requiredKeys: ['templateId'] },
)
const goodOrBad: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: textRef },
  { weight: 3, arbitrary: objectRef as unknown as fc.Arbitrary<Json> },
  { weight: 2, arbitrary: fc.constantFrom(...MALFORMED) },
)
const empty = fc.constantFrom<Json>(null, '')
const orEmpty = fc.oneof({ weight: 2, arbitrary: empty }, { weight: 3, arbitrary: goodOrBad })
const byKind = fc.record(
  { system: orEmpty, user: orEmpty, 'few-shot': orEmpty, 'schema-hint': orEmpty },
  { requiredKeys: [] },
) as fc.Arbitrary<KindRefs>
/** High layers are mostly silent; otherwise the low ones would never have the say. */
const seldom: fc.Arbitrary<KindRefs> = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: byKind })

const agent: fc.Arbitrary<BoundAgent> = fc.record({
  agentId: fc.constant('vendor.acme.writer'),
  intrinsic: fc.option(
    fc.constant({ templateId: 'agent-intrinsic.vendor.acme.writer', version: '1.4.0', digest: digestText('You write.') }),
  ),
  promptOverrides: byKind,
  promptLibraryRef: fc.constantFrom(null, 'house', 'bare', 'twins', 'not-installed'),
})
const agentId = fc.constantFrom<Json>('vendor.acme.writer', 'vendor.acme.writer', '', 42, '\ud800')
const inline = fc.constantFrom<Json>('', 'You write.', 7)
const config = fc
  .tuple(
    fc.record({ fewShotPromptRefs: fc.array(orEmpty, { maxLength: 4 }), additionalPromptRefs: fc.array(orEmpty, { maxLength: 3 }) }),
    seldom.map(refs => ({
      systemPromptRef: refs.system ?? '',
      userPromptRef: refs.user ?? null,
      schemaHintPromptRef: refs['schema-hint'] ?? '',
    })),
    fc.record({ agentId, systemPrompt: inline, userPrompt: inline, schemaHintPrompt: inline }, { requiredKeys: [] }),
    fc.boolean(),
  )
  .map(([lists, refs, rest, shots]) => configOf({ ...lists, ...refs, ...rest, ...(shots ? {} : { fewShotPromptRefs: [] }) } as Json))
const anyRequest: fc.Arbitrary<ResolveRequest> = fc.record({
  nodeId: fc.constant('writer'),
  config,
  agent: fc.option(agent, { freq: 3 }),
  agentBindings: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  runOverrides: seldom,
  workflowDefaults: byKind,
  hostDefaults: byKind,
})
const anyKind = fc.constantFrom(...KINDS)

describe('the oracle', () => {
  it('agrees on every slot of every kind', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyRequest, anyKind, (request, kind) => {
        const resolutions = resolveKind(request, kind, lookup)
        expect(resolutions.map(verdictOf)).toEqual(expectedOf(request, kind))
        for (const { trace, fault } of resolutions) {
          for (const { layer, code } of trace) seen.add(`${layer} ${code}`)
          if (fault !== null) seen.add(`${fault.layer} fault ${fault.code}`)
        }
      }),
      { numRuns: runs(5000) },
    )
    // An oracle that is never asked agrees with everybody.
    for (const layer of LAYERS) expect(seen).toContain(`${layer} applied`)
    for (const layer of LAYERS.filter(layer => layer !== 'agent-intrinsic' && layer !== 'agent-library-default'))
      for (const code of ['prompt_ref_invalid', 'prompt_ref_ambiguous', 'prompt_template_not_found'])
        expect(seen).toContain(`${layer} fault ${code}`)
    for (const code of [
      'agent_unset',
      'agent_bindings_off',
      'agent_binding_unresolvable',
      'agent_library_unset',
      'agent_library_unresolvable',
      'library_default_missing',
      'superseded',
    ])
      expect(seen).toContain(`agent-library-default ${code}`)
  })

  it('agrees on a whole node: its kinds in order, and each warning once', () => {
    fc.assert(
      fc.property(anyRequest, request => {
        const { resolutions, warnings } = resolveNode(request, lookup)
        expect(resolutions.map(verdictOf)).toEqual(KINDS.flatMap(kind => expectedOf(request, kind)))
        expect(warnings.map(({ code }) => code)).toEqual(expectedWarnings(request))
        for (const { message, nodeId } of warnings) expect(() => canonicalJson({ message, nodeId })).not.toThrow()
      }),
      { numRuns: runs(1000) },
    )
  })
})

const eachWalk = (claim: (resolution: Resolution, request: ResolveRequest) => void) =>
  fc.assert(
    fc.property(anyRequest, anyKind, (request, kind) => {
      for (const resolution of resolveKind(request, kind, lookup)) claim(resolution, request)
    }),
    { numRuns: runs(1500) },
  )
const isOrdinary = ({ trace }: Resolution) => trace.length > 1

describe('every walk', () => {
  it('looks at all seven layers, in order; an additional ref is a matter of the node alone', () =>
    eachWalk(({ trace, kind, slot }) => {
      const layers = trace.map(({ layer }) => layer)
      if (slot === 0 || layers.length > 1) expect(layers).toEqual(LAYERS)
      else expect([kind, layers]).toEqual(['few-shot', ['node']])
    }))

  it('applies exactly one entry if something resolved, and that one is what resolved', () =>
    eachWalk(({ trace, resolved }) => {
      const applied = trace.filter(entry => entry.applied)
      expect(applied.map(({ template }) => template)).toEqual(resolved === null ? [] : [resolved])
      if (resolved !== null) expect(applied[0]!.ref).toBe(`prompt:${resolved.templateId}@${resolved.version}`)
      expect(applied.every(({ code }) => code === 'applied')).toBe(true)
    }))

  it('ends with a template, a fault, or a silence of all layers', () =>
    eachWalk(({ trace, resolved, fault }) => {
      expect(resolved !== null && fault !== null).toBe(false)
      if (resolved === null && fault === null)
        expect(trace.every(({ ref, code }) => ref === null && code !== 'prompt_ref_invalid')).toBe(true)
    }))

  it('stops at a layer that speaks and cannot be honoured: nothing below takes its place', () =>
    eachWalk(({ trace, resolved, fault }) => {
      if (fault === null) return
      const at = trace.findIndex(({ layer }) => layer === fault.layer)
      expect(trace[at]!).toMatchObject({ code: fault.code, reason: fault.message, applied: false })
      expect(trace.slice(0, at).every(({ ref, code }) => ref === null && code !== 'prompt_ref_invalid')).toBe(true)
      expect(resolved).toBe(null)
    }))

  it('leaves losers their ref, their digest and the name of who stood above', () =>
    eachWalk(({ trace }) => {
      const speaker = trace.find(({ ref, code }) => ref !== null || code === 'prompt_ref_invalid')
      for (const { code, ref, template, reason } of trace.filter(({ code }) => code === 'superseded')) {
        expect(ref).toBe(`prompt:${template!.templateId}@${template!.version}`)
        expect(template!.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
        expect([code, reason]).toEqual(['superseded', `superseded by ${speaker!.layer}`])
      }
    }))

  it('can be written down', () =>
    eachWalk(resolution => {
      expect(JSON.parse(canonicalJson(resolution as unknown as Json))).toEqual(resolution)
    }))

  it('names the agent only if the node does', () =>
    eachWalk(({ agentId }, { agent, config }) => {
      expect(agentId).toBe((config.agentId ?? '') === '' ? null : (agent?.agentId ?? null))
    }))
})

const NODE_KEYS = ['systemPromptRef', 'userPromptRef', 'schemaHintPromptRef', 'fewShotPromptRefs'] as const

/** The layers down to `last` of one request, and those below of another. */
function grafted(top: ResolveRequest, bottom: ResolveRequest, kind: PromptKind, last: Layer): ResolveRequest {
  const from = (layer: Layer) => (LAYERS.indexOf(layer) <= LAYERS.indexOf(last) ? top : bottom)
  const config = { ...top.config, agentId: from('agent-intrinsic').config.agentId ?? '' }
  const node = Object.fromEntries(NODE_KEYS.map(key => [key, from('node').config[key] ?? '']))
  const { agent, agentBindings } = from('agent-intrinsic')
  const overridden = { [kind]: from('agent-overrides').agent?.promptOverrides[kind] ?? '' }
  const promptLibraryRef = from('agent-library-default').agent?.promptLibraryRef ?? null
  return {
    ...top,
    config: { ...config, ...node },
    agent: agent && { ...agent, promptOverrides: overridden, promptLibraryRef },
    agentBindings,
    workflowDefaults: from('workflow-defaults').workflowDefaults ?? {},
    hostDefaults: from('host-defaults').hostDefaults ?? {},
  }
}

const outcome = ({ slot, resolved, variableOverrides, fault }: Resolution) => ({ slot, resolved, variableOverrides, fault })

describe('precedence', () => {
  it('what stands below the layer that has the say may come, go or change: the outcome is the same', () => {
    const moved = new Set<Layer>()
    fc.assert(
      fc.property(anyRequest, anyRequest, anyKind, (request, other, kind) => {
        const before = resolveKind(request, kind, lookup)
        const last = before[0]!.fault?.layer ?? before[0]!.trace.find(({ applied }) => applied)?.layer
        if (last === undefined) return
        moved.add(last)
        const nothing: ResolveRequest = { nodeId: 'writer', config: {}, agent: null, agentBindings: true }
        for (const bottom of [other, nothing])
          expect(resolveKind(grafted(request, bottom, kind, last), kind, lookup).map(outcome)).toEqual(before.map(outcome))
      }),
      { numRuns: runs(2000) },
    )
    expect([...moved].sort()).toEqual([...LAYERS].sort())
  })

  it('a ref that appears above wins, whatever was there', () => {
    fc.assert(
      fc.property(anyRequest, anyKind, (request, kind) => {
        const raised = { ...request, runOverrides: { [kind]: 'prompt:good-run@1.0.0' } }
        const [first] = resolveKind(raised, kind, lookup)
        expect(first!.resolved?.templateId).toBe('good-run')
        expect(first!.trace.filter(isOffered).map(({ layer }) => layer)[0]).toBe('run-configurable')
      }),
    )
  })

  it('a malformed, missing or ambiguous ref below the winner disturbs nobody', () => {
    fc.assert(
      fc.property(anyRequest, anyKind, fc.constantFrom(...MALFORMED, 'prompt:missing-x', 'prompt:twin-x'), (request, kind, bad) => {
        const before = resolveKind(request, kind, lookup)
        if (before[0]!.resolved === null || before[0]!.trace.at(-1)!.applied) return
        const after = resolveKind({ ...request, hostDefaults: { [kind]: bad } }, kind, lookup)
        expect(after.map(outcome)).toEqual(before.map(outcome))
        for (const { trace } of after.filter(isOrdinary)) expect(trace.at(-1)!.code).toMatch(/^prompt_/)
      }),
    )
  })

  it('which model is called has no say: the whole trace is the same', () => {
    const model = fc.dictionary(
      fc.constantFrom('provider', 'model', 'modelClass', 'temperature', 'maxTokens', 'fallbackModel', 'requiredModelCapabilities'),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(anyRequest, model, (request, fields) => {
        const other = { ...request, config: { ...request.config, ...(fields as ResolveRequest['config']) } }
        expect(resolveNode(other, lookup)).toEqual(resolveNode(request, lookup))
      }),
    )
  })

  it('kinds do not know of one another', () => {
    fc.assert(
      fc.property(anyRequest, anyKind, (request, kind) => {
        const only = (refs: KindRefs = {}): KindRefs => ({ [kind]: refs[kind] ?? '' })
        const { runOverrides, workflowDefaults, hostDefaults, agent } = request
        const alone: ResolveRequest = {
          ...request,
          runOverrides: only(runOverrides),
          workflowDefaults: only(workflowDefaults),
          hostDefaults: only(hostDefaults),
          agent: agent && { ...agent, promptOverrides: only(agent.promptOverrides) },
        }
        expect(resolveKind(alone, kind, lookup)).toEqual(resolveKind(request, kind, lookup))
      }),
    )
  })
})

const isOffered = ({ ref, code }: Resolution['trace'][number]) => ref !== null || code === 'prompt_ref_invalid'

it('labels are refs in the house only', () => {
  const request: ResolveRequest = {
    nodeId: 'writer',
    config: { systemPromptRef: 'prompt:good@production', additionalPromptRefs: ['prompt:good@staging'] },
    agent: null,
    agentBindings: true,
  }
  const [system] = resolveKind(request, 'system', lookup, { labels: true })
  expect(system).toMatchObject({ resolved: { templateId: 'good', version: '5.0.0' }, fault: null })
  expect(resolveKind(request, 'few-shot', lookup, { labels: true })[1]).toMatchObject({ resolved: { version: '5.0.0' } })
  expect(resolveNode(request, lookup).resolutions.flatMap(({ fault }) => fault?.code ?? [])).toEqual([
    'prompt_ref_invalid',
    'prompt_ref_invalid',
  ])
})

it('needs no more than a node: what a caller leaves out is silent', () => {
  const { resolutions, warnings } = resolveNode({ nodeId: 'n', config: configOf(undefined), agent: null, agentBindings: true }, lookup)
  expect(resolutions.map(({ kind, resolved, fault }) => [kind, resolved, fault])).toEqual(KINDS.map(kind => [kind, null, null]))
  expect(warnings).toEqual([])
  expect(
    resolveNode({ nodeId: 'n', config: {}, agent: null, agentBindings: true }, lookup, ['user']).resolutions.map(({ kind }) => kind),
  ).toEqual(['user'])
})
