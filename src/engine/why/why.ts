// Folder: Answers which prompt a node used and why, from events and objects alone. It reads no projection and writes nothing.
// Explains the prompts of every node of a run: the recorded traces, with the active versions. Reads events and objects, makes no choice again.
import type { PromptKind } from '../../core/pack/compile.ts'
import type { TraceEntry } from '../../core/resolve/resolve.ts'
import { factsOf, type RunVisit } from '../../core/run/reading/reading.ts'
import { foldRun } from '../../core/run/reduce.ts'
import { type ActiveSteps, grouped } from '../../core/why/active-since.ts'
import { chainOf, writtenFor } from '../../core/why/chain.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { answerFor } from '../reading/malformed.ts'
import { nodeNotFound } from '../reading/node-not-found.ts'
import { loadReading } from '../runs/read-run.ts'
import { DIALECT, type LoadedFrozen, resolveRequest } from '../runs/start/frozen.ts'
import { worldOf } from '../runs/start/world.ts'
import { readStored } from '../turns/node-values.ts'
import { configurableOf, promptOverrides } from '../turns/step-parts.ts'
import { activeStateOf } from './active-versions.ts'
import { labelReader, type WhyLayer } from './label-moves.ts'
import { withPublications } from './publications.ts'

export interface WhyQuestion {
  readonly nodeId?: string | undefined
  readonly kind?: PromptKind | undefined
  /** Default: each node's newest visit with a prompt. */
  readonly visit?: number | undefined
}

/** The resolver's answer, with or without a run. */
export interface WhyChoice {
  readonly nodeId: string
  readonly kind: PromptKind
  /** Which of several few-shot entries; 0 for every other kind. */
  readonly slot: number
  readonly agentId: string | null
  readonly resolved: string | null
  readonly chain: readonly WhyLayer[]
}

export interface WhyAnswer extends WhyChoice {
  readonly visit: number
  /** The sequence of the event with the trace. */
  readonly sequence: number
  readonly at: string
  /** Nothing when no step was taken. */
  readonly active: readonly ActiveSteps[]
}

/** In the order of the nodes' first prompts. */
export const whyRun = (store: Store, tenant: string, runId: string, question: WhyQuestion = {}): Promise<readonly WhyAnswer[]> =>
  answerFor(runId, () => answersFor(store, tenant, runId, question))

async function answersFor(store: Store, tenant: string, runId: string, question: WhyQuestion): Promise<readonly WhyAnswer[]> {
  const reading = await loadReading(store, tenant, runId)
  const meant = chosen(reading.visits, question)
  if (meant.length === 0) await refuseEmpty(store, tenant, runId, question)
  // The events that change the active versions: the start of the run, its modes, its spawned nodes.
  const changes = factsOf(reading, 'run.created', 'run.modeChanged', 'node.spawned')
  const state = foldRun(changes.map(({ event }) => event))
  const world = await worldOf(store, tenant, state)
  const overrides = promptOverrides(await configurableOf({ store, tenant, run: { state } }))
  const active = activeStateOf(store, tenant, world, { runId, changes, forkOf: state.forkOf ?? null })
  const movesOf = labelReader(store, tenant)
  const chosenAt = state.forkOf?.names.createdAt ?? changes[0]!.at

  const answers: WhyAnswer[] = []
  for (const { nodeId, visit, traced, steps } of meant) {
    const held = grouped(await active(nodeId, steps))
    if (traced.length === 0) answers.push({ ...UNLAYERED, nodeId, visit, sequence: steps[0]!.sequence, at: steps[0]!.at, active: held })
    for (const { kind, slot, agentId, resolved, trace, sequence, at } of traced) {
      if (question.kind !== undefined && kind !== question.kind) continue
      const written = writtenAt(world, nodeId, overrides, kind)[slot] ?? []
      const chain = chainOf(await readStored<readonly TraceEntry[]>(store, tenant, trace), written)
      // The meaning of a label is frozen when the run is created; for a fork, when its source was.
      const layers = (await Promise.all(chain.map(entry => movesOf(entry, chosenAt)))).map(entry => withAdoption(entry, held))
      answers.push({ nodeId, visit, kind, slot, agentId, resolved, chain: layers, sequence, at, active: held })
    }
  }
  return withPublications(store, tenant, world, chosenAt, answers)
}

/** A session that is asked directly gets its messages unchanged: no layer offers a prompt, and `active` names them. */
const UNLAYERED = { kind: 'system', slot: 0, agentId: null, resolved: null, chain: [] } as const

/** The events that made a snapshot active. The sync that read it changed nothing. */
function withAdoption(entry: WhyLayer, held: readonly ActiveSteps[]): WhyLayer {
  const { snapshot: source } = entry
  if (source === undefined) return entry
  const step = held.find(({ snapshot }) => snapshot?.root === source.root && snapshot.version === source.version)
  return step === undefined ? entry : { ...entry, adopted: step.adopted.filter(({ type }) => type !== 'workspace.snapshotReady') }
}

function writtenAt(world: LoadedFrozen, nodeId: string, overrides: Parameters<typeof resolveRequest>[2], kind: PromptKind) {
  const node = world.workflow.nodes.find(({ id }) => id === nodeId)
  return node === undefined ? [] : writtenFor(resolveRequest(world, node, overrides), kind, DIALECT)
}

function chosen(visits: readonly RunVisit[], { nodeId, visit }: WhyQuestion): readonly RunVisit[] {
  const promptVisits = visits.filter(({ traced, steps }) => traced.length > 0 || steps.length > 0)
  const newest = new Map(promptVisits.map(one => [one.nodeId, one.visit]))
  return promptVisits.filter(one => (nodeId === undefined || one.nodeId === nodeId) && one.visit === (visit ?? newest.get(one.nodeId)))
}

/** A question without a node and a visit may have an empty answer. */
async function refuseEmpty(store: Store, tenant: string, runId: string, { nodeId, visit }: WhyQuestion): Promise<void> {
  const when = visit === undefined ? '' : ` in visit ${visit}`
  if (nodeId !== undefined)
    throw await nodeNotFound(store, tenant, runId, nodeId, `Node ${nodeId} of run ${runId} has received no prompt${when}`)
  if (visit !== undefined) throw new Fault('node_missing', { problem: `No node of run ${runId} has received a prompt${when}` })
}
