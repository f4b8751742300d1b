// Collects the decisions of a run from its events and the objects that they name. Judges nothing, makes no choice again.
import type { RunFacts, VisitFacts } from '../../core/diff/compare-runs.ts'
import { erasedFact, type Fact } from '../../core/diff/facts.ts'
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { factsOf, type RunEventOf, type RunReading, type RunVisit, type VisitOutcome } from '../../core/run/reading/reading.ts'
import { foldRun } from '../../core/run/reduce.ts'
import type { RunState } from '../../core/run/state.ts'
import type { Store } from '../../ports.ts'
import { policyRevisions } from '../policy/policy-revisions.ts'
import { loadReading } from '../runs/read-run.ts'
import { frozenRole, type LoadedFrozen, loadFrozen } from '../runs/start/frozen.ts'
import { worldOf } from '../runs/start/world.ts'
import { readStored } from '../turns/node-values.ts'
import { agentOf } from '../turns/task.ts'
import { stepFacts } from './step-facts.ts'
import { unlessErased } from './unless-erased.ts'

export interface GatheredRun extends RunFacts {
  /** The name of the run in its prompts: a fork's prompts use the name of its source. */
  readonly toldAs: string
  /** Texts that are not stored objects: replies of models, in printable form. */
  readonly made: ReadonlyMap<Digest, string>
}

export async function gatherRun(store: Store, tenant: string, runId: string): Promise<GatheredRun> {
  const reading = await loadReading(store, tenant, runId)
  const created = factsOf(reading, 'run.created').at(-1)!.event
  const state = stateIn(reading)
  const world = await worldOf(store, tenant, state)
  const { workflow } = await loadFrozen(store, tenant, created.frozen)
  const made = new Map<Digest, string>()
  const copied = created.forkOf?.copied ?? 0
  const gather = stepFacts({ store, tenant, policies: await policyRevisions(store), made, copied })
  const gathered: VisitFacts[] = []
  for (const visit of reading.visits) {
    const { nodeId, composed, steps } = visit
    const role = roleFacts(world, nodeId)
    const stepped = []
    for (const step of steps) stepped.push(await gather(step, composed, role))
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

async function ofRun(
  store: Store,
  tenant: string,
  created: RunEventOf<'run.created'>,
  world: LoadedFrozen,
  state: RunState,
): Promise<readonly Fact[]> {
  const read = async (what: 'input' | 'configurable', digest: Digest | null): Promise<readonly Fact[]> => {
    if (digest === null) return []
    const stored = await unlessErased(
      readStored<{ readonly inputs: JsonObject } | { readonly configurable: JsonObject }>(store, tenant, digest),
    )
    if (stored === null) return [erasedFact({ what }, digest)]
    const facts = named(what, 'inputs' in stored ? stored.inputs : stored.configurable)
    // An empty object is a fact of its own, which counts only against an erased one.
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

function outcomeText(outcome: VisitOutcome): string {
  if (outcome.status === 'skipped') return `skipped: ${outcome.reason}`
  return outcome.status === 'failed' ? failedText('failed', outcome) : outcome.status
}

const outcomeOf = ({ phase, failure }: RunState): string => (failure === null ? phase : failedText(phase, failure))
const failedText = (status: string, { code, detail }: { readonly code: string; readonly detail: string }): string =>
  `${status} (${code}): ${detail}`

function roleFacts(world: LoadedFrozen, nodeId: string): readonly Fact[] {
  const node = world.workflow.nodes.find(({ id }) => id === nodeId)
  const role = node === undefined ? null : frozenRole(world, node, agentOf(world, node))
  return role === null ? [] : [{ what: 'role', value: role.ref, hash: digestJson(role as unknown as Json) }]
}

async function visitFacts(store: Store, tenant: string, { outcome, handoffs }: RunVisit): Promise<readonly Fact[]> {
  return [
    ...(handoffs === null ? [] : await handoffFacts(store, tenant, handoffs)),
    ...(outcome === null ? [] : [{ what: 'outcome', value: outcomeText(outcome) } as const]),
  ]
}

async function handoffFacts(store: Store, tenant: string, digest: Digest): Promise<readonly Fact[]> {
  const given = await unlessErased(readStored<readonly { readonly from: string; readonly message: string }[]>(store, tenant, digest))
  if (given === null) return [erasedFact({ what: 'handoff' }, digest)]
  return given.map(({ from, message }): Fact => ({ what: 'handoff', name: from, value: message, from: digest }))
}

const PHASES: Partial<Record<RunEvent['type'], RunState['phase']>> = {
  'run.paused': 'paused',
  'run.resumed': 'running',
  'run.cancelling': 'cancelling',
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
}

/** The run as far as its world goes, and how it ended. */
function stateIn(reading: RunReading): RunState {
  const state = foldRun(factsOf(reading, 'run.created', 'node.spawned', 'edge.created').map(({ event }) => event))
  const last = reading.facts.findLast(({ event }) => PHASES[event.type] !== undefined)?.event
  return last === undefined ? state : { ...state, phase: PHASES[last.type]!, failure: last.type === 'run.failed' ? last : null }
}
