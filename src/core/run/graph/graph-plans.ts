// Plans the calls of the graph tools and finds what is wrong with them, before approval and again before execution.
// Changes nothing itself.
import { handoffsText } from '../../compose/task.ts'
import type { Handoff } from '../../compose/task-payload.ts'
import { isDigest, type Json } from '../../digest/digest.ts'
import { isObject, type JsonObject } from '../../digest/is-object.ts'
import { shown } from '../../resolve/prompt-ref.ts'
import { USUAL_REPLY_MS } from '../../tools/graph-descriptors.ts'
import type { Workflow } from '../../workflow/workflow.ts'
import { isEnded, nodeOf, type RunState } from '../state.ts'
import { graphOf, reachOf } from './graph.ts'
import { DEEPEST, edgesOf, leads, type MadeEdge, MOST_EDGES, MOST_HANDOFFS, MOST_SPAWNED, spawnedIn } from './grown.ts'
import { awaitedFrom } from './handoffs.ts'
import { aliasProblem, findNode, newNodeId } from './node-names.ts'

/** The calling node, with its run and workflow. */
export interface GraphPlace {
  readonly state: RunState
  /** Includes the growth of the graph. */
  readonly workflow: Workflow
  readonly nodeId: string
}

export type Planned<T> = { readonly ok: true; readonly plan: T } | { readonly ok: false; readonly problem: string }

const wrong = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem })
const stringIn = (args: JsonObject, name: string): string | null => (typeof args[name] === 'string' ? args[name].trim() : null)
/** As it was written; null for nothing but blanks. */
const textIn = (args: JsonObject, name: string): string | null => (stringIn(args, name) ? (args[name] as string) : null)
const objectIn = (args: JsonObject, name: string): JsonObject | null => (isObject(args[name]) ? args[name] : null)
const MALFORMED = 'its arguments do not fit its descriptor'
const ENDING = 'the run is being ended'

// Excludes every character that a reader might take for the end of a line.
const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,120}$/u

const labelProblem = (label: string): string | null =>
  ONE_LINE.test(label) && label.isWellFormed() && !isDigest(label)
    ? null
    : `invalid label "${shown(label)}": one line of 1 to 120 characters`

export interface SpawnPlan {
  readonly nodeId: string
  readonly depth: number
  readonly label: string
  readonly alias: string | null
  readonly role: string
  readonly provider: string | null
  readonly capabilities: JsonObject
  readonly gated: boolean
  readonly asks: boolean
  readonly prompt: string | null
  /** Its first input; null for nothing. */
  readonly handoff: Handoff | null
}

export function planSpawn({ state, workflow, nodeId }: GraphPlace, args: Json): Planned<SpawnPlan> {
  if (!isObject(args)) return wrong(MALFORMED)
  const [label, role] = [stringIn(args, 'label'), stringIn(args, 'roleTemplate')]
  if (label === null || role === null) return wrong(MALFORMED)
  if (isOver(state)) return wrong(ENDING)
  const depth = (spawnedIn(state, nodeId)?.depth ?? 0) + 1
  if (state.grown.nodes.length >= MOST_SPAWNED) return wrong(`agents of a run may add ${MOST_SPAWNED} nodes, and have`)
  if (depth > DEEPEST) return wrong(`nodes that were added may add nodes ${DEEPEST} deep, and this is as deep`)
  const alias = stringIn(args, 'alias') || null
  const problem = labelProblem(label) ?? (alias === null ? null : aliasProblem(workflow, alias))
  if (problem !== null) return wrong(problem)
  const handoff = firstHandoff(nodeId, textIn(args, 'instructions'), objectIn(args, 'input'))
  if (handoff !== null && handoffsText([handoff]) === null) return wrong(UNWRITABLE)
  const permissions = objectIn(args, 'permissions') ?? {}
  return {
    ok: true,
    plan: {
      nodeId: newNodeId(workflow, label, alias),
      depth,
      label,
      alias,
      role,
      provider: stringIn(args, 'provider') || null,
      capabilities: objectIn(args, 'capabilities') ?? {},
      gated: permissions.cliPermissionsMode === 'gated',
      asks: permissions.agentManagementRequiresApproval === true,
      prompt: textIn(args, 'customSystemPrompt'),
      handoff,
    },
  }
}

const UNWRITABLE = 'what it hands over is not plain JSON in valid Unicode'

function firstHandoff(from: string, instructions: string | null, input: JsonObject | null): Handoff | null {
  if (instructions === null && input === null) return null
  return { from, message: instructions ?? 'Work on this input.', ...(input === null ? {} : { structured: input }) }
}

export interface EdgePlan {
  readonly edge: MadeEdge
  /** Whether the calling node is one of its ends. */
  readonly own: boolean
}

export function planEdge({ state, workflow, nodeId }: GraphPlace, args: Json): Planned<EdgePlan> {
  if (!isObject(args)) return wrong(MALFORMED)
  const ends = [stringIn(args, 'from'), stringIn(args, 'to')]
  if (ends.includes(null)) return wrong(MALFORMED)
  if (isOver(state)) return wrong(ENDING)
  const [from, to] = ends.map(name => findNode(workflow, name!)?.id ?? null)
  if (from == null || to == null) return wrong(unknown(workflow, ends as string[]))
  if (from === to) return wrong(`an edge leads from one node to another, and both ends are ${from}`)
  const edgeType = args.type === 'report' ? 'report' : 'handoff'
  const label = stringIn(args, 'label') || (edgeType === 'report' ? 'report' : 'task')
  const problem = labelProblem(label)
  if (problem !== null) return wrong(problem)
  const bidirectional = args.bidirectional !== false
  const isSame = edgesOf(workflow, state).some(
    one =>
      one.from === from && one.to === to && one.type === edgeType && one.bidirectional === bidirectional && (one.label ?? '') === label,
  )
  if (isSame) return wrong(`there is this very edge from ${from} to ${to} already`)
  const { length } = state.grown.edges
  if (length >= MOST_EDGES) return wrong(`agents of a run may make ${MOST_EDGES} edges, and have`)
  const edge = { edgeId: newEdgeId(workflow, length + 1), from, to, edgeType, bidirectional, label } as const
  return { ok: true, plan: { edge, own: from === nodeId || to === nodeId } }
}

/** The author of a workflow chooses the ids of its edges, so the new id must not collide with them. */
function newEdgeId({ edges }: Workflow, count: number): string {
  const id = `made-${count}`
  return edges.some(edge => edge.id === id) ? `made-${count}-${edges.length}` : id
}

const unknown = (workflow: Workflow, names: readonly string[]): string => {
  const missing = [...new Set(names.filter(name => findNode(workflow, name) === null))]
  return `this run has no node ${missing.map(name => `"${shown(name)}"`).join(' and no node ')}`
}

export interface HandoffPlan {
  readonly to: string
  readonly body: Handoff
  readonly expectation: 'none' | 'optional' | 'required'
  readonly answers: string | null
  /** How long the sender waits for a reply; null when it does not wait. */
  readonly waitMs: number | null
}

export function planHandoff(place: GraphPlace, args: Json): Planned<HandoffPlan> {
  const { state, workflow, nodeId } = place
  if (!isObject(args)) return wrong(MALFORMED)
  const [named, message] = [stringIn(args, 'to'), stringIn(args, 'message')]
  if (named === null || message === null) return wrong(MALFORMED)
  if (isOver(state)) return wrong(ENDING)
  if (message === '') return wrong('the message is empty')
  if (state.handoffs >= MOST_HANDOFFS) return wrong(`agents of a run may send ${MOST_HANDOFFS} handoffs, and have`)
  const response = objectIn(args, 'response')
  const replyTo = response === null ? null : stringIn(response, 'replyTo')
  const receiver = findNode(workflow, named)
  const answering = replyTo === null ? nodeId : (findNode(workflow, replyTo)?.id ?? null)
  if (receiver === null || answering === null) return wrong(unknown(workflow, [named, ...(replyTo === null ? [] : [replyTo])]))
  const to = receiver.id
  if (receiver.disabled) return wrong(`node ${to} is disabled: it reads nothing`)
  if (!edgesOf(workflow, state).some(edge => leads(edge, nodeId, to))) return wrong(`no edge leads from ${nodeId} to ${to}: make one first`)
  const expectation = expectationIn(response)
  const waits = expectation === 'required' && answering === nodeId
  if (waits && to === nodeId) return wrong('a node cannot wait for its own reply')
  if (waits && !canAnswer(place, to)) return wrong(`node ${to} starts only when ${nodeId} has ended: it cannot answer before`)
  const answers = awaitedFrom(state, nodeId, to)?.handoff ?? null
  if (waits && waitsFor(state, to, nodeId, answers)) return wrong(`node ${to} waits for a reply of yours: answer before you ask`)
  const body = bodyOf(nodeId, message, args, response === null ? null : { expectation, replyTo: answering })
  if (handoffsText([body]) === null) return wrong(UNWRITABLE)
  const timeout = response?.timeoutMs
  return {
    ok: true,
    plan: { to, body, expectation, answers, waitMs: waits ? (typeof timeout === 'number' ? timeout : USUAL_REPLY_MS) : null },
  }
}

const EXPECTATIONS = ['none', 'optional', 'required'] as const

const expectationIn = (response: JsonObject | null): HandoffPlan['expectation'] =>
  EXPECTATIONS.find(one => one === response?.expectation) ?? 'none'

/** A node that has yet to start, and that waits for the calling node, cannot answer it. */
const canAnswer = ({ state, workflow, nodeId }: GraphPlace, to: string): boolean =>
  nodeOf(state, to).status !== 'idle' || !reachOf(graphOf(workflow), nodeId).has(to)

/** Follows chains of waiting nodes: no node in such a ring could take a step. @param but a handoff that is being answered */
function waitsFor({ awaited }: RunState, from: string, nodeId: string, but: string | null): boolean {
  const open = awaited.filter(({ reply, handoff }) => reply === null && handoff !== but)
  for (let at: string | undefined = from; at !== undefined; at = open.find(one => one.nodeId === at)?.to) if (at === nodeId) return true
  return false
}

const isOver = (state: RunState): boolean => state.phase === 'cancelling' || isEnded(state)

function bodyOf(from: string, message: string, args: JsonObject, response: NonNullable<Handoff['response']> | null): Handoff {
  const { structured, artifacts, status, contextRef } = args
  return {
    from,
    message,
    ...(isObject(structured) ? { structured } : {}),
    ...(Array.isArray(artifacts) ? { artifacts: artifacts as unknown as NonNullable<Handoff['artifacts']> } : {}),
    ...(isObject(status) ? { status: status as unknown as NonNullable<Handoff['status']> } : {}),
    ...(response === null ? {} : { response }),
    ...(typeof contextRef === 'string' ? { contextRef } : {}),
  }
}
