// Everything that can be changed about a recorded run, one thing at a time, with where a replay has to find it.
import { type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { referencesIn } from '../../core/record/references.ts'
import type { Divergence } from '../../core/replay/divergence.ts'
import { runStream } from '../../core/run/events.ts'
import { HOST_POLICY } from '../../engine/policy/record-config.ts'
import type { Store } from '../../ports.ts'
import { POLICY, STYLE, type Story } from '../stories/recorded-story.ts'
import { withEvent, withHistory, withObject, withoutObject } from './changed-store.ts'

export interface Mutation {
  readonly name: string
  readonly store: Store
  /** The first divergence says at least this; of a change to bytes, one of them does. */
  readonly first?: Partial<Divergence>
  readonly one?: Partial<Divergence>
  /** No divergence is before this event. */
  readonly from?: number
}

/** From 0, below the bound. */
export type Picking = (bound: number) => number

type Make = (story: Story, pick: Picking) => Mutation

const payloadOf = ({ payload }: RecordedEvent): JsonObject => payload as JsonObject
const of = ({ events }: Story, type: string, nodeId?: string): readonly RecordedEvent[] =>
  events.filter(event => event.type === type && (nodeId === undefined || payloadOf(event).nodeId === nodeId))
const chosen = <T>(from: readonly T[], pick: Picking): T => from[pick(from.length)]!
const at =
  (seq: number, change: (payload: JsonObject) => JsonObject) =>
  (event: RecordedEvent): RecordedEvent =>
    event.seq === seq ? { ...event, payload: change(payloadOf(event)) } : event
const otherLetter = (text: string, index: number): string =>
  `${text.slice(0, index)}${text[index] === '#' ? '*' : '#'}${text.slice(index + 1)}`
const inJson = (change: (value: JsonObject) => JsonObject) => (text: string) => JSON.stringify(change(JSON.parse(text) as JsonObject))

/** One letter of what a template says itself: the span is that letter. */
const templateText: Make = (story, pick) => {
  const event = chosen(of(story, 'prompt.composed'), pick)
  const { template: digest, kind, ref } = payloadOf(event) as { template: Digest; kind: 'system'; ref: string }
  const index = pick(STYLE.length - 1)
  const store = withObject(
    story.store,
    digest,
    inJson(value => ({ ...value, text: otherLetter(String(value.text), index) })),
  )
  const met = of(story, 'prompt.composed').find(one => payloadOf(one).template === digest)!
  const span = { start: index, end: index + 1 }
  return {
    name: `template text, ${ref}, letter ${index}`,
    store,
    first: { sequence: met.seq, point: 'prompt.composed', kind, template: ref, field: 'templateHash', span },
  }
}

const variableValue: Make = (story, pick) => {
  const topic = `topic ${pick(1000)}`
  const store = withObject(
    story.store,
    story.objects.inputs!,
    inJson(() => ({ inputs: { topic } })),
  )
  const [met] = of(story, 'prompt.composed').filter(one => payloadOf(one).kind === 'user')
  return {
    name: `variable value, ${topic}`,
    store,
    first: { sequence: met!.seq, point: 'prompt.composed', kind: 'user', variable: 'topic', field: 'variableHashes' },
  }
}

/** Removes the first layer: the next one applies. */
const layerOrder: Make = (story, pick) => {
  const [nodeId, kind, layer] = chosen(
    [
      ['writer', 'system', 'node'],
      ['writer', 'user', 'workflow-defaults'],
    ] as const,
    pick,
  )
  const store = withObject(story.store, story.objects.workflow!, text => {
    const value = JSON.parse(text) as { nodes: { id: string; config: JsonObject }[]; promptRefs: JsonObject }
    if (kind === 'user') return JSON.stringify({ ...value, promptRefs: {} })
    return JSON.stringify({ ...value, nodes: value.nodes.map(node => (node.id === nodeId ? { ...node, config: {} } : node)) })
  })
  const met = of(story, 'prompt.traced', nodeId).find(one => payloadOf(one).kind === kind)!
  return { name: `layer order, ${nodeId} ${kind}`, store, first: { sequence: met.seq, point: 'agent.promptResolved', nodeId, kind, layer } }
}

const hostDefault: Make = (story, pick) => {
  const found = chosen(['prompt:desk@1.0.0', 'prompt:nothing@1.0.0'], pick)
  const store = withObject(
    story.store,
    story.objects.frozen!,
    inJson(value => ({ ...value, hostDefaults: { system: found } })),
  )
  const met = of(story, 'prompt.traced', 'writer').find(one => payloadOf(one).kind === 'system')!
  return {
    name: `host default, ${found}`,
    store,
    first: { sequence: met.seq, point: 'agent.promptResolved', kind: 'system', layer: 'host-defaults' },
  }
}

const mode: Make = story => {
  const store = withHistory(
    story.store,
    [runStream('r1')],
    at(0, payload => ({ ...payload, mode: 'planning' })),
  )
  const [met] = of(story, 'step.started')
  return { name: 'mode', store, first: { sequence: met!.seq, point: 'prompt.composed', nodeId: 'writer', block: 'mode' } }
}

const role: Make = (story, pick) => {
  const [name, nodeId] = chosen(
    [
      ['implementer', 'writer'],
      ['reviewer', 'reader'],
    ] as const,
    pick,
  )
  const index = pick(40)
  const store = withObject(
    story.store,
    story.objects[name]!,
    inJson(value => ({ ...value, text: otherLetter(String(value.text), index) })),
  )
  const [met] = of(story, 'step.started', nodeId)
  const span = { start: index, end: index + 1 }
  return {
    name: `role, ${name}, letter ${index}`,
    store,
    first: { sequence: met!.seq, point: 'prompt.composed', nodeId, block: 'role', span },
  }
}

/** A tool that was shown is not in the catalog. */
const catalogEntry: Make = (story, pick) => {
  const judged = chosen(of(story, 'call.judged'), pick)
  const { tool } = payloadOf(judged) as { tool: string }
  const [step] = of(story, 'step.started')
  const [catalog] = (payloadOf(step!) as unknown as { request: { tools: Digest[] } }).request.tools
  const store = withObject(story.store, catalog!, text => text.replaceAll(`"${tool}"`, `"${tool}2"`))
  return { name: `catalog entry, ${tool}`, store, one: { sequence: judged.seq, point: 'call.judged', nodeId: 'writer', field: 'visible' } }
}

/** Removes a grant: the first call of the tool was judged by another policy. */
const policy: Make = (story, pick) => {
  const judged = chosen(of(story, 'call.judged'), pick)
  const { tool, nodeId } = payloadOf(judged) as { tool: string; nodeId: string }
  const grants = chosen(
    [
      [{ tools: ['probe', 'write_file'].filter(name => name !== tool) }],
      [{ tools: [tool], deny: true }, ...POLICY.grants],
      [{ tools: [tool], agents: [`somebody-${pick(100)}`] }, { tools: ['nothing'] }],
    ],
    pick,
  )
  const store = withHistory(story.store, [HOST_POLICY.stream], event => ({
    ...event,
    payload: { ...payloadOf(event), config: { ...POLICY, grants } } as unknown as Json,
  }))
  return { name: `policy, ${tool}`, store, one: { sequence: judged.seq, point: 'call.judged', nodeId, field: 'granted' } }
}

const verdict: Make = (story, pick) => {
  const judged = chosen(of(story, 'call.judged'), pick)
  const was = (payloadOf(judged).verdict as unknown as { conditions: { condition: string; outcome: string }[] }).conditions
  const field = chosen(
    was.filter(({ condition }) => !['well_formed', 'bound'].includes(condition)),
    pick,
  ).condition
  const outcomes = ['passed', 'failed', 'not_reached', 'not_applicable']
  const turned = (event: RecordedEvent): RecordedEvent => {
    const { verdict: known } = payloadOf(event) as unknown as {
      verdict: { decision: string; conditions: { condition: string; outcome: string }[] }
    }
    const conditions = known.conditions.map(one =>
      one.condition === field
        ? {
            ...one,
            outcome: chosen(
              outcomes.filter(outcome => outcome !== one.outcome),
              () => 0,
            ),
          }
        : one,
    )
    return { ...event, payload: { ...payloadOf(event), verdict: { ...known, conditions } } as unknown as Json }
  }
  const store = withHistory(story.store, [judged.stream], event => (event.seq === judged.seq ? turned(event) : event))
  return { name: `verdict, ${field} of event ${judged.seq}`, store, first: { sequence: judged.seq, point: 'call.judged', field } }
}

const modelReply: Make = (story, pick) => {
  const settled = chosen(of(story, 'step.settled'), pick)
  const { reply } = payloadOf(settled) as { reply: Digest }
  const store = withObject(story.store, reply, text =>
    text.replace(/"text":"[^"]+"|"src\/a.ts"/, said => (said.startsWith('"text"') ? `"text":"Else ${pick(100)}"` : '"src/b.ts"')),
  )
  return { name: `model reply, event ${settled.seq}`, store, first: { sequence: settled.seq, point: 'step.settled', field: 'replyHash' } }
}

/** The step after it says which history it was given. */
const toolResult: Make = (story, pick) => {
  const settled = chosen(of(story, 'call.settled'), pick)
  const { nodeId } = payloadOf(settled) as { nodeId: string }
  const next = of(story, 'step.started', nodeId).find(({ seq }) => seq > settled.seq)!
  const store = withHistory(
    story.store,
    [settled.stream],
    at(settled.seq, payload => ({ ...payload, result: story.objects.inputs! })),
  )
  return {
    name: `tool result, event ${settled.seq}`,
    store,
    first: { sequence: next.seq, point: 'step.started', nodeId, field: 'history' },
  }
}

/** Changes any field of any event: the hash in the next event detects it. */
const eventField: Make = (story, pick) => {
  const stream = runStream('r1')
  const event = chosen(story.events, pick)
  const paths = [['at'], ['actor'], ...leavesOf(event.payload, ['payload'])]
  const path = chosen(paths, pick)
  const store = withEvent(story.store, stream, one =>
    one.seq === event.seq ? (changedAt(one as unknown as Json, path) as unknown as RecordedEvent) : one,
  )
  return { name: `event field, ${event.seq} ${path.join('.')}`, store, one: { sequence: event.seq, point: 'event' } }
}

/** Fields that come from outside the run, and that nothing else on record follows from. */
const GIVEN: readonly RegExp[] = [/^run\.created (owner|tags|metadata)/, /^run\.(claimed|cancelled|cancelling) /, /^override\.given /]

/** Changes a field of an event and chains the run again: only the field itself can reveal it. */
const repairedField: Make = (story, pick) => {
  const all = story.events.flatMap(event => leavesOf(event.payload, []).map(path => ({ event, path })))
  const { event, path } = chosen(
    all.filter(one => !GIVEN.some(given => given.test(`${one.event.type} ${one.path.join('.')}`))),
    pick,
  )
  const store = withHistory(story.store, [event.stream], one =>
    one.seq === event.seq ? { ...one, payload: changedAt(one.payload, path) } : one,
  )
  return { name: `event field, tied anew, ${event.seq} ${event.type} ${path.join('.')}`, store, first: {}, from: event.seq }
}

function leavesOf(value: Json, path: readonly string[]): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, String(index)]))
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]))
  return value === null ? [] : [path]
}

function changedAt(value: Json, [key, ...rest]: readonly string[]): Json {
  if (key === undefined) return other(value)
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? changedAt(item, rest) : item))
  return Object.fromEntries(Object.entries(value as JsonObject).map(([name, item]) => [name, name === key ? changedAt(item, rest) : item]))
}

function other(value: Json): Json {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return String(value).startsWith('sha256:') ? digestText(`other than ${String(value)}`) : `${String(value)}x`
}

/** Whichever it is: it is named where the run names it first. */
const objectByte: Make = (story, pick) => {
  const event = chosen(
    story.events.filter(({ payload }) => referencesIn(payload).length > 0),
    pick,
  )
  const digest = chosen(referencesIn(event.payload), pick)
  const met = story.events.find(({ payload }) => referencesIn(payload).includes(digest))!
  const rotten = pick(2) === 0 ? null : digestText('rotten')
  const field = rotten === null ? 'object_missing' : 'object_corrupt'
  const store = withoutObject(story.store, digest, rotten)
  return { name: `object, of event ${met.seq}, ${field}`, store, one: { point: 'object', field, expected: digest } }
}

export const MUTATIONS: readonly Make[] = [
  templateText,
  variableValue,
  layerOrder,
  hostDefault,
  mode,
  role,
  catalogEntry,
  policy,
  verdict,
  modelReply,
  toolResult,
  eventField,
  repairedField,
  objectByte,
]
