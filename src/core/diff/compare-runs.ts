// Compares two runs by their decisions: nodes are matched by id and visit, steps by number. A lasting difference is
// reported where it begins.
import type { Block } from '../compose/parts.ts'
import type { Digest, Json } from '../digest/digest.ts'
import { compareDocuments } from './compare-documents.ts'
import type { Decision, TextPlace } from './difference.ts'
import { compareFacts, type Fact, keyOf } from './facts.ts'

export interface RunFacts {
  readonly runId: string
  /** `news 1.0.0` */
  readonly workflow: string
  /** The workflow, and the agents of its nodes by id. */
  readonly document: Json
  readonly agents: Readonly<Record<string, Json>>
  readonly facts: readonly Fact[]
  readonly visits: readonly VisitFacts[]
}

export interface VisitFacts {
  readonly nodeId: string
  readonly visit: number
  readonly facts: readonly Fact[]
  readonly steps: readonly StepFacts[]
}

export interface StepFacts {
  readonly step: number
  /** Facts that hold until they change: the model, the choices, the active content. */
  readonly held: readonly Fact[]
  /** Events of this step alone. */
  readonly met: readonly Fact[]
  /** Facts that distinguish the steps of a visit, and are not compared between runs. */
  readonly own: readonly Fact[]
  readonly texts: Readonly<Partial<Record<Block | 'reply', Digest>>>
}

export interface TextPair {
  readonly block: Block | 'reply'
  readonly a: Digest | null
  readonly b: Digest | null
  /** The first place of the text, then its other places. */
  readonly places: readonly TextPlace[]
}

export interface Compared {
  readonly decisions: readonly Decision[]
  readonly texts: readonly TextPair[]
}

/**
 * Yields after each step, so that a caller with other work can do it in between.
 * @param only compares this node alone; decisions for the whole run are then reported where they apply to the node
 */
export function* comparingRuns(a: RunFacts, b: RunFacts, only?: string): Generator<void, Compared> {
  const ofRun = only === undefined ? [...compareDefinitions(a, b), ...compareFacts(a.facts, b.facts)] : []
  const meant = ({ visits }: RunFacts): readonly VisitFacts[] => visits.filter(({ nodeId }) => only === undefined || nodeId === only)
  const visits = paired(meant(a), meant(b), ({ nodeId, visit }) => JSON.stringify([nodeId, visit]))
  const previous = new Map<string, ReadonlyMap<string, Decision>>()
  const decisions: Decision[] = [...ofRun]
  const texts: PlacedPair[] = []
  for (const [one, other] of visits) {
    const { nodeId, visit } = (one ?? other)!
    const place = { nodeId, visit }
    if (one === null || other === null) {
      decisions.push({ what: 'node', ...place, a: toldOf(one), b: toldOf(other) })
      continue
    }
    decisions.push(...compareFacts(one.facts, other.facts).map(decision => at(decision, place)))
    for (const [ours, theirs] of paired(one.steps, other.steps, ({ step }) => String(step))) {
      yield
      const { step } = (ours ?? theirs)!
      const here = { ...place, step }
      if (ours === null || theirs === null) {
        decisions.push({ what: 'step', ...here, a: ours === null ? null : 'taken', b: theirs === null ? null : 'taken' })
        continue
      }
      const held = compareFacts(ours.held, theirs.held)
      const before = previous.get(nodeId) ?? byKey(ofRun)
      decisions.push(...held.filter(decision => !isSamePair(decision, before.get(keyOf(decision)))).map(decision => at(decision, here)))
      previous.set(nodeId, byKey(held))
      decisions.push(...compareFacts(ours.met, theirs.met).map(decision => at(decision, here)))
      texts.push(...compareTexts(ours, theirs).map(pair => ({ ...pair, place: here })))
    }
  }
  return { decisions, texts: together(texts) }
}

export function compareRuns(a: RunFacts, b: RunFacts, only?: string): Compared {
  const comparing = comparingRuns(a, b, only)
  for (;;) {
    const { done, value } = comparing.next()
    if (done) return value
  }
}

/** Two steps, of one run or of two. */
export function compareSteps(a: StepFacts, b: StepFacts, nodeId: string, place: TextPlace): Compared {
  const decisions = compareFacts([...a.held, ...a.own, ...a.met], [...b.held, ...b.own, ...b.met])
  return {
    decisions: decisions.map(decision => at(decision, { nodeId })),
    texts: together(compareTexts(a, b).map(pair => ({ ...pair, place }))),
  }
}

/** Compares definitions of the same name field by field. For other definitions, reports only that they differ. */
function compareDefinitions(a: RunFacts, b: RunFacts): readonly Decision[] {
  const workflow = { what: 'workflow' } as const
  const named = a.workflow === b.workflow ? [] : [{ ...workflow, a: a.workflow, b: b.workflow }]
  const agents = Object.keys(a.agents).filter(name => Object.hasOwn(b.agents, name))
  return [
    ...named,
    ...(idOf(a.document) === idOf(b.document) ? compareDocuments(workflow, a.document, b.document, TOLD) : []),
    ...agents.flatMap(name => compareDocuments({ what: 'agent', name }, a.agents[name]!, b.agents[name]!)),
  ]
}

/** In the name of it. */
const TOLD = ['/version']
const idOf = (document: Json): Json => (document as { readonly id?: Json })?.id ?? null

function toldOf(visit: VisitFacts | null): Json {
  if (visit === null) return null
  const outcome = visit.facts.find(({ what }) => what === 'outcome')?.value ?? 'under way'
  return `${String(outcome)}, ${visit.steps.length === 1 ? '1 step' : `${visit.steps.length} steps`}`
}

/** In the order of the one, then of the other. */
function paired<T>(a: readonly T[], b: readonly T[], keyOf: (one: T) => string): readonly (readonly [T | null, T | null])[] {
  const [ours, theirs] = [new Map(a.map(one => [keyOf(one), one])), new Map(b.map(one => [keyOf(one), one]))]
  return [...new Set([...ours.keys(), ...theirs.keys()])].map(key => [ours.get(key) ?? null, theirs.get(key) ?? null])
}

const byKey = (decisions: readonly Decision[]): ReadonlyMap<string, Decision> =>
  new Map(decisions.map(decision => [keyOf(decision), decision]))

const isSamePair = ({ a, b }: Decision, other: Decision | undefined): boolean =>
  other !== undefined && JSON.stringify([a, b]) === JSON.stringify([other.a, other.b])

const at = ({ what, ...rest }: Decision, place: Partial<TextPlace>): Decision => ({ what, ...place, ...rest })

type BlockPair = Omit<TextPair, 'places'>
type PlacedPair = BlockPair & { readonly place: TextPlace }

const ORDER = ['system', 'role', 'mode', 'task', 'override', 'reply'] as const

const compareTexts = ({ texts: a }: StepFacts, { texts: b }: StepFacts): readonly BlockPair[] =>
  ORDER.filter(block => a[block] !== b[block]).map(block => ({ block, a: a[block] ?? null, b: b[block] ?? null }))

/** Reports a text pair that occurs in several steps once. */
function together(pairs: readonly PlacedPair[]): readonly TextPair[] {
  const pairsByKey = new Map<string, TextPair>()
  for (const { place, ...pair } of pairs) {
    const key = JSON.stringify([pair.block, pair.a, pair.b])
    pairsByKey.set(key, { ...pair, places: [...(pairsByKey.get(key)?.places ?? []), place] })
  }
  return [...pairsByKey.values()]
}
