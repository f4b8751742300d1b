// Folder: Prompt refs, candidates by layer, and the one function that chooses, with its trace. Lookups are passed in.
// Chooses the prompt of a node, with the reason. Collects candidates, then chooses; the trace has the offers of superseded
// layers as well. OpenWOP RFC 0029.
import type { Digest, Json } from '../digest/digest.ts'
import { ACTIVE_LABEL } from '../library/events.ts'
import type { MeantBy } from '../library/meant.ts'
import type { SnapshotSource } from '../library/pack-set.ts'
import type { PromptKind } from '../pack/compile.ts'
import {
  additionalRefs,
  type Candidate,
  candidatesFor,
  isEmpty,
  type Layer,
  nodeRefs,
  type ResolveRequest,
  type Silence,
} from './layers.ts'
import { type PromptRef, pinnedText, type RefDialect, readPromptRef, refText } from './prompt-ref.ts'
import { warningsOf } from './warnings.ts'

/** One version of one template: the target of a pinned ref. */
export interface Pinned {
  readonly libraryId: string
  readonly templateId: string
  readonly version: string
  readonly digest: Digest
  /** The library is the host's own, which only its operator fills. Left out for every other. */
  readonly owner?: 'host'
}

export type Found =
  /** `kind`: of the template, if the lookup knows it. `snapshot`: the version of a workspace that has the template. */
  | {
      readonly status: 'found'
      readonly template: Pinned
      readonly meant: MeantBy
      readonly kind?: PromptKind
      readonly snapshot?: SnapshotSource
    }
  /** `versions` and `labels`: those of the template, when only the label is missing. */
  | { readonly status: 'missing'; readonly versions?: readonly string[]; readonly labels?: readonly string[] }
  | { readonly status: 'ambiguous'; readonly libraries: readonly string[] }
  /** No lookup was made: the caller wants to know which ref is chosen, not whether it exists. */
  | { readonly status: 'unchecked' }

/** The library as resolution sees it. Pure: it answers from loaded content. */
export interface Lookup {
  find(ref: PromptRef): Found
  /** Looks in the host's own library alone. Left out by runs of version 0.1.0, whose host defaults were looked up with the rest. */
  findHost?(ref: PromptRef): Found
  /** Null when there is no such library. */
  defaultOf(libraryId: string, kind: PromptKind): Found | null
}

export type ReasonCode =
  | Silence
  | 'applied'
  | 'superseded'
  | 'agent_library_unresolvable'
  | 'library_default_missing'
  | 'prompt_ref_invalid'
  | 'prompt_ref_ambiguous'
  | 'prompt_template_not_found'

/** One candidate of one layer, with its result. */
export interface TraceEntry {
  readonly layer: Layer
  readonly applied: boolean
  /** As it would be printed: pinned where it could be. Null when the layer offered nothing. */
  readonly ref: string | null
  readonly template: Pinned | null
  /** The rule that gave the version of the template. Left out where no ref was followed. */
  readonly meant?: MeantBy
  /** The version of a workspace that gave the template. Left out where a library did. */
  readonly snapshot?: SnapshotSource
  readonly code: ReasonCode
  readonly reason: string
}

export type FaultCode = 'prompt_ref_invalid' | 'prompt_ref_ambiguous' | 'prompt_template_not_found'
export type WarningCode =
  | 'prompt_ref_supersedes_inline'
  | 'agent_binding_unresolvable'
  | 'agent_library_unresolvable'
  | 'prompt_kind_mismatch'

export interface Resolution {
  readonly nodeId: string
  readonly kind: PromptKind
  /** Which of several few-shot entries; 0 for every other kind. */
  readonly slot: number
  /** The agent that the node names, if it is known. */
  readonly agentId: string | null
  readonly resolved: Pinned | null
  readonly variableOverrides: Readonly<Record<string, Json>> | null
  /** The kind that the chosen template is made for, where that is another than this one. */
  readonly madeFor?: PromptKind
  readonly trace: readonly TraceEntry[]
  /** The layer that had to apply cannot: a fault, never a fall to the next layer. */
  readonly fault: { readonly code: FaultCode; readonly layer: Layer; readonly message: string } | null
}

export interface Warning {
  readonly code: WarningCode
  readonly nodeId: string
  readonly message: string
}

export interface NodeResolution {
  /** In the order in which they are composed. */
  readonly resolutions: readonly Resolution[]
  /** Once per node, for any number of kinds. */
  readonly warnings: readonly Warning[]
}

export const KINDS: readonly PromptKind[] = ['system', 'few-shot', 'user', 'schema-hint']

export function resolveNode(
  request: ResolveRequest,
  lookup: Lookup,
  kinds: readonly PromptKind[] = KINDS,
  dialect: RefDialect = {},
): NodeResolution {
  const resolutions = kinds.flatMap(kind => resolveKind(request, kind, lookup, dialect))
  return { resolutions, warnings: warningsOf(request, resolutions) }
}

/** One resolution, or one for each few-shot entry and additional ref. */
export function resolveKind(request: ResolveRequest, kind: PromptKind, lookup: Lookup, dialect: RefDialect = {}): readonly Resolution[] {
  const walk = (nodeRef: Json | undefined, slot: number) =>
    choose(request, kind, slot, candidatesFor(request, kind, nodeRef, dialect), lookup)
  if (kind !== 'few-shot') return [walk(nodeRefs(request.config, kind)[0], 0)]
  const entries = nodeRefs(request.config, kind)
  // A higher layer replaces all entries of the node, it does not join them.
  const slots = entries.length === 0 || !isEmpty(request.runOverrides?.[kind]) ? [walk(entries[0], 0)] : entries.map(walk)
  const more = additionalRefs(request.config).map((ref, index) => {
    const alone: readonly Candidate[] = [{ layer: 'node', offer: { type: 'ref', read: readPromptRef(ref, dialect) } }]
    return choose(request, null, slots.length + index, alone, lookup)
  })
  return [...slots, ...more]
}

interface Judged {
  readonly layer: Layer
  readonly ref: string | null
  readonly template: Pinned | null
  readonly meant: MeantBy | undefined
  readonly snapshot?: SnapshotSource | undefined
  readonly overrides: PromptRef['variableOverrides']
  /** Null where the lookup does not say. */
  readonly kind: PromptKind | null
  /** Null when it could be applied. */
  readonly problem: { readonly code: ReasonCode; readonly reason: string } | null
  /** Whether the layer has an offer: such a layer decides, even when its offer cannot be resolved. */
  readonly speaks: boolean
}

/** @param wanted null for an additional ref, which may be of any kind and is placed with the few-shot entries */
function choose(
  request: ResolveRequest,
  wanted: PromptKind | null,
  slot: number,
  candidates: readonly Candidate[],
  lookup: Lookup,
): Resolution {
  const kind = wanted ?? 'few-shot'
  const trace: TraceEntry[] = []
  let speaker: Judged | null = null
  for (const { layer, offer } of candidates) {
    if (offer.type === 'none') {
      trace.push({ layer, applied: false, ref: null, template: null, code: offer.silence, reason: SILENCES[offer.silence] })
      continue
    }
    const judged = judge(layer, offer, kind, lookup)
    trace.push(toTrace(judged, speaker, wanted))
    if (judged.speaks) speaker ??= judged
  }
  const winner = speaker?.problem === null ? speaker : null
  return {
    nodeId: request.nodeId,
    kind,
    slot,
    agentId: isEmpty(request.config.agentId) ? null : (request.agent?.agentId ?? null),
    resolved: winner?.template ?? null,
    variableOverrides: winner?.overrides ?? null,
    ...(winner !== null && isMisplaced(winner, wanted) ? { madeFor: winner.kind! } : {}),
    trace,
    fault: speaker === null || speaker.problem === null ? null : toFault(speaker),
  }
}

// Field by field, here and below: this runs for every candidate, and spreading takes most of the time there is.
function toTrace(judged: Judged, speaker: Judged | null, wanted: PromptKind | null): TraceEntry {
  const { layer, ref, template, meant, snapshot, problem, kind } = judged
  const entry = (applied: boolean, code: ReasonCode, reason: string): TraceEntry => {
    if (meant === undefined) return { layer, applied, ref, template, code, reason }
    if (snapshot === undefined) return { layer, applied, ref, template, meant, code, reason }
    return { layer, applied, ref, template, meant, snapshot, code, reason }
  }
  if (problem !== null) return entry(false, problem.code, problem.reason)
  const misplaced = isMisplaced(judged, wanted) ? `; the template's own kind is ${kind}` : ''
  if (speaker === null) return entry(true, 'applied', `first layer with a candidate${misplaced}`)
  return entry(false, 'superseded', `superseded by ${speaker.layer}`)
}

const isMisplaced = ({ kind }: Judged, wanted: PromptKind | null): boolean => kind !== null && wanted !== null && kind !== wanted

const toFault = ({ layer, problem }: Judged): Resolution['fault'] => ({
  code: problem!.code as FaultCode,
  layer,
  message: problem!.reason,
})

function judge(layer: Layer, offer: Exclude<Candidate['offer'], { type: 'none' }>, kind: PromptKind, lookup: Lookup): Judged {
  switch (offer.type) {
    case 'template': {
      const { templateId, version, digest } = offer
      return usable(layer, { libraryId: 'agents', templateId, version, digest }, undefined, null)
    }
    case 'library-default': {
      const answer = lookup.defaultOf(offer.libraryId, kind)
      if (answer === null) return unusable(layer, 'agent_library_unresolvable', `library ${offer.libraryId} is not installed`, false)
      if (answer.status === 'found') return usable(layer, answer.template, answer.meant, null)
      return unusable(layer, 'library_default_missing', `library ${offer.libraryId} has no default ${kind} template`, false)
    }
    case 'ref':
      return offer.read.ok ? judgeRef(layer, offer.read.ref, lookup) : unusable(layer, 'prompt_ref_invalid', offer.read.problem, true)
  }
}

const usable = (
  layer: Layer,
  template: Pinned,
  meant: MeantBy | undefined,
  overrides: PromptRef['variableOverrides'],
  kind: PromptKind | null = null,
): Judged => ({
  layer,
  ref: pinnedText(template.templateId, template.version),
  template,
  meant,
  overrides,
  kind,
  problem: null,
  speaks: true,
})

const unusable = (layer: Layer, code: ReasonCode, reason: string, speaks: boolean): Judged => ({
  layer,
  ref: null,
  template: null,
  meant: undefined,
  overrides: null,
  kind: null,
  problem: { code, reason },
  speaks,
})

function judgeRef(layer: Layer, ref: PromptRef, lookup: Lookup): Judged {
  const { variableOverrides: overrides } = ref
  const hosts = layer === 'host-defaults' ? lookup.findHost?.(ref) : undefined
  const answer = hosts ?? lookup.find(ref)
  if (answer.status === 'found') {
    const judged = usable(layer, answer.template, answer.meant, overrides, answer.kind)
    return answer.snapshot === undefined ? judged : { ...judged, snapshot: answer.snapshot }
  }
  const unfound = { layer, ref: refText(ref), template: null, meant: undefined, overrides, kind: null, speaks: true }
  if (answer.status === 'unchecked') return { ...unfound, problem: null }
  const problem: Judged['problem'] =
    answer.status === 'ambiguous'
      ? { code: 'prompt_ref_ambiguous', reason: `${refText(ref)} is in several libraries: ${answer.libraries.join(', ')}` }
      : { code: 'prompt_template_not_found', reason: `${missingReason(ref, answer)}${hosts === undefined ? '' : IN_HOSTS}` }
  return { ...unfound, problem }
}

const IN_HOSTS = " in the host's own library"

/** When the template exists without the label, the reason names the existing ones and how to set it. */
export function missingReason(ref: PromptRef, { versions, labels = [] }: Extract<Found, { readonly status: 'missing' }>): string {
  const where = ref.libraryId === null ? '' : ` in ${ref.libraryId}`
  if (versions === undefined) return `there is no ${refText(ref)}${where}`
  const label = ref.label ?? ACTIVE_LABEL
  const others = labels.length === 0 ? '' : `; labels: ${labels.join(', ')}`
  return `${ref.templateId} has no label ${label}${where} (versions: ${versions.join(', ')}${others}). Set it: onbook label ${ref.templateId} ${label} ${versions.at(-1)}`
}

const SILENCES: Readonly<Record<Silence, string>> = {
  nothing_here: 'no candidate at this layer',
  kind_not_intrinsic: 'an agent has an intrinsic prompt of kind system only',
  agent_unset: 'the node names no agent',
  agent_bindings_off: 'the host does not let agents bind prompts',
  agent_binding_unresolvable: 'the node names an agent that is not known',
  agent_library_unset: 'the agent names no library',
}
