// What was decided in a run, gathered from its events and what they name. Judges nothing, computes no choice anew.
import type { RunFacts, VisitFacts } from '../../core/diff/compare-runs.ts'
import { erasedFact, type Fact } from '../../core/diff/facts.ts'
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { reduceRun } from '../../core/run/reduce.ts'
import { emptyRun, type RunState } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { policyRevisions } from '../policy-revisions.ts'
import { frozenRole, type LoadedFrozen, loadFrozen } from '../runs/frozen.ts'
import { readStored } from '../turns/node-values.ts'
import { agentOf } from '../turns/task.ts'
import { worldOf } from '../runs/world.ts'
import { type StepEvents, stepFacts } from './step-facts.ts'
import { unlessErased } from './unless-erased.ts'

export interface GatheredRun extends RunFacts {
  /** What its prompts call it: a fork's call it by the name of its source. */
  readonly toldAs: string
  /** Texts that are no objects: what models said, as it is told. */
  readonly made: ReadonlyMap<Digest, string>
}

interface OpenVisit {
  readonly nodeId: string
  readonly visit: number
  readonly handoffs: Digest | null
  outcome: string | null
  readonly told: Composed[]
  readonly steps: StepEvents[]
}

export type Composed = Extract<RunEvent, { readonly type: 'prompt.composed' }>

export async function gatherRun(store: Store, tenant: string, runId: string): Promise<GatheredRun> {
  const { created, state, visits } = await readVisits(store, tenant, runId)
  const world = await worldOf(store, tenant, state)
  const { workflow } = await loadFrozen(store, tenant, created.frozen)
  const made = new Map<Digest, string>()
  const gather = stepFacts({ store, tenant, policies: await policyRevisions(store), made })
  const gathered: VisitFacts[] = []
  for (const visit of visits) {
    const { nodeId, told, steps } = visit
    const role = roleFacts(world, nodeId)
    const stepped = []
    for (const step of steps) stepped.push(await gather(step, told, role))
    gathered.push({ nodeId, visit: visit.visit, facts: await visitFacts(store, tenant, visit), steps: stepped })
  }
  return {
    runId,
    toldAs: created.forkOf?.names.runId ?? runId,
    workflow: `${created.workflowId} ${created.version}`,
    document: workflow as unknown as Json,
    agents: Object.fromEntries([...world.agents].map(([id, { manifest: _, ...agent }]) => [id, agent as unknown as Json])),
    facts: await ofRun(store, tenant, created, world, state),
    visits: gathered,
    made,
  }
}

type Created = Extract<RunEvent, { readonly type: 'run.created' }>

async function ofRun(store: Store, tenant: string, created: Created, world: LoadedFrozen, state: RunState): Promise<readonly Fact[]> {
  const read = async (what: 'input' | 'configurable', digest: Digest | null): Promise<readonly Fact[]> => {
    if (digest === null) return []
    const stored = await unlessErased(
      readStored<{ readonly inputs: JsonObject } | { readonly configurable: JsonObject }>(store, tenant, digest),
    )
    if (stored === null) return [erasedFact({ what }, digest)]
    const facts = named(what, 'inputs' in stored ? stored.inputs : stored.configurable)
    // That it says nothing is told only to whom it was erased.
    return (facts.length === 0 ? [{ what, value: null, alike: true }] : facts).map(fact => ({ ...fact, from: digest }))
  }
  const { mode, orchestration, budget, stallAfter } = created
  const { hostDefaults, agentBindings, repository } = world
  return [
    ...(await read('input', created.inputs)),
    ...(await read('configurable', created.configurable)),
    { what: 'mode', value: mode },
    ...named('setting', { orchestration, stallAfter, agentBindings, ...prefixed('budget', budget as unknown as JsonObject) }),
    ...Object.entries(hostDefaults as JsonObject).map(([kind, value]) => ({ what: 'host-default', kind, value }) as Fact),
    ...(repository === null ? [] : named('repository', repository as unknown as JsonObject)),
    { what: 'outcome', value: outcomeOf(state) },
  ]
}

const named = (what: Fact['what'], values: JsonObject): readonly Fact[] =>
  Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [{ what, name, value }]))

const prefixed = (prefix: string, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]))

const outcomeOf = ({ phase, failure }: RunState): string => (failure === null ? phase : failedText(phase, failure))
const failedText = (status: string, { code, detail }: { readonly code: string; readonly detail: string }): string =>
  `${status} (${code}): ${detail}`

function roleFacts(world: LoadedFrozen, nodeId: string): readonly Fact[] {
  const node = world.workflow.nodes.find(({ id }) => id === nodeId)
  const role = node === undefined ? null : frozenRole(world, node, agentOf(world, node))
  return role === null ? [] : [{ what: 'role', value: role.ref, hash: digestJson(role as unknown as Json) }]
}

async function visitFacts(store: Store, tenant: string, { outcome, handoffs }: OpenVisit): Promise<readonly Fact[]> {
  return [
    ...(handoffs === null ? [] : await handoffFacts(store, tenant, handoffs)),
    ...(outcome === null ? [] : [{ what: 'outcome', value: outcome } as const]),
  ]
}

async function handoffFacts(store: Store, tenant: string, digest: Digest): Promise<readonly Fact[]> {
  const given = await unlessErased(readStored<readonly { readonly from: string; readonly message: string }[]>(store, tenant, digest))
  if (given === null) return [erasedFact({ what: 'handoff' }, digest)]
  return given.map(({ from, message }): Fact => ({ what: 'handoff', name: from, value: message, from: digest }))
}

const WORLD = ['run.created', 'node.spawned', 'edge.created']
const PHASES: Partial<Record<RunEvent['type'], RunState['phase']>> = {
  'run.paused': 'paused',
  'run.resumed': 'running',
  'run.cancelling': 'cancelling',
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
}

interface ReadVisits {
  readonly created: Created
  /** As far as its world goes, and how it ended. */
  readonly state: RunState
  readonly visits: readonly OpenVisit[]
}

async function readVisits(store: Store, tenant: string, runId: string): Promise<ReadVisits> {
  let created: Created | null = null
  let state = emptyRun
  const visits: OpenVisit[] = []
  const open = new Map<string, OpenVisit>()
  const begin = (visit: OpenVisit): void => {
    open.set(visit.nodeId, visit)
    visits.push(visit)
  }
  for await (const { event: recorded } of store.read(tenant, runStream(runId), -1)) {
    const event = runEvent(recorded)
    if (event.type === 'run.created') created = event
    if (WORLD.includes(event.type)) state = reduceRun(state, event)
    const phase = PHASES[event.type]
    if (phase !== undefined) state = { ...state, phase, failure: event.type === 'run.failed' ? event : null }
    const { nodeId } = event as { readonly nodeId?: string | null }
    if (nodeId == null) continue
    if (event.type === 'node.started') begin({ nodeId, visit: event.visit, handoffs: event.handoffs, outcome: null, told: [], steps: [] })
    if (event.type === 'node.skipped')
      begin({ nodeId, visit: (open.get(nodeId)?.visit ?? 0) + 1, handoffs: null, outcome: `skipped: ${event.reason}`, told: [], steps: [] })
    const current = open.get(nodeId)
    const isTaken = recorded.seq < (created?.forkOf?.copied ?? 0)
    if (current !== undefined) meet(current, event, isTaken ? null : recorded.at)
  }
  if (created === null) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return { created, state, visits }
}

function meet(visit: OpenVisit, event: RunEvent, at: string | null): void {
  const last = visit.steps.at(-1)
  switch (event.type) {
    case 'prompt.composed':
      visit.told.push(event)
      return
    case 'step.started':
      visit.steps.push({ started: event, at, settled: null, calls: [] })
      return
    case 'step.settled':
      if (last !== undefined) last.settled = event
      return
    case 'tool.judged':
    case 'tool.answered':
    case 'tool.settled':
      last?.calls.push(event)
      return
    case 'node.completed':
    case 'node.cancelled':
      visit.outcome = event.type === 'node.completed' ? 'completed' : 'cancelled'
      return
    case 'node.failed':
      visit.outcome = failedText('failed', event)
  }
}
