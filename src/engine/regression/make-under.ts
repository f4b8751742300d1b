// Remakes one recorded step with some of a proposal's causes applied. Asks no model, and writes nothing.
import type { Cause } from '../../core/regression/cause.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import { toolsOf } from '../../core/turn/materialize.ts'
import type { Store } from '../../ports.ts'
import { remakeStep } from '../replay/remake-step.ts'
import { type LoadedFrozen, roleOf } from '../runs/start/frozen.ts'
import { allowedTo } from '../turns/step-tools.ts'
import { agentOf } from '../turns/task.ts'
import type { Outcome } from './change-of.ts'
import type { ProposedSnapshots } from './proposed-snapshots.ts'
import { grown, type ProposedWorlds } from './proposed-worlds.ts'
import type { RecordedStep } from './recorded-steps.ts'

export interface StepProposal {
  readonly worlds: ProposedWorlds
  readonly snapshots: ProposedSnapshots
}

const isOfSnapshot = (cause: Cause['cause']): boolean => cause === 'prelude' || cause === 'catalog'
const fails = (code: string, detail: string): Outcome => ({ ok: false, isGone: false, code, detail })
const gone = (code: string, detail: string): Outcome => ({ ok: false, isGone: true, code, detail })

/** @param store the record, with what the proposal holds @param placed in the order of the proposal */
export async function makeUnder(
  store: Store,
  tenant: string,
  step: RecordedStep,
  { worlds, snapshots }: StepProposal,
  placed: readonly Cause[],
): Promise<Outcome> {
  const { event, turn } = step
  const world = await worlds.with(placed.filter(({ cause }) => !isOfSnapshot(cause)))
  const frozen = grown(world, step.frozen, step.run.state)
  const node = frozen.workflow.nodes.find(({ id }) => id === event.nodeId)
  if (node === undefined) return gone('node_missing', `the workflow has no node ${event.nodeId}`)
  if (node.disabled) return gone('node_disabled', `node ${event.nodeId} is switched off`)
  const given = snapshots.with(placed.filter(({ cause }) => isOfSnapshot(cause) || cause === 'template'))
  if ('code' in given) return fails(given.code, given.detail)
  const broken = world.unusable.get(roleOf(node, agentOf(frozen, node)) ?? '')
  if (broken !== undefined) return fails(broken.code, broken.detail)
  const { snapshot } = given
  const run = orchestratedBy(frozen, step)
  const { composed, made, catalogs } = await remakeStep({
    store,
    tenant,
    run,
    frozen,
    node,
    event: withoutCatalog(step),
    turn: { ...turn, snapshot },
  })
  if (!composed.ok) return fails(composed.code, composed.detail)
  if (made?.ok !== true) return fails(made!.code, made!.message)
  const { prompt, texts } = composed
  return { ok: true, prompt, request: made.request, texts, catalogs, isUntold: mayShowMore(frozen, step, snapshot) }
}

/** A run takes it from its workflow when it is created. */
function orchestratedBy({ workflow }: LoadedFrozen, { run, frozen }: RecordedStep): RecordedStep['run'] {
  const { orchestration } = workflow
  return orchestration === frozen.workflow.orchestration ? run : { ...run, state: { ...run.state, orchestration } }
}

/**
 * The recorded catalog counts as the host's own, unless it came from the snapshot: then it must not outlive that. Planning's catalog came
 * from neither.
 */
function withoutCatalog({ run, event, turn }: RecordedStep): StepStarted {
  const { config, snapshot } = turn
  const { toolSource } = toolsOf({ config, snapshot })
  const tools = run.state.mode === 'planning' ? (event.request.tools ?? []).slice(-1) : null
  return toolSource === 'snapshot' ? { ...event, request: { ...event.request, tools } } : event
}

/**
 * The record holds only the part of the host's catalog that an agent saw. It cannot say whether an agent with more rights would see more.
 */
function mayShowMore(frozen: LoadedFrozen, step: RecordedStep, snapshot: Snapshot | null): boolean {
  const { event, turn } = step
  if (toolsOf({ config: turn.config, snapshot }).toolSource !== 'none' || step.frozen.spawned.has(event.nodeId)) return false
  const [was, is] = [step.frozen, frozen].map(world => {
    const node = world.workflow.nodes.find(({ id }) => id === event.nodeId)!
    return allowedTo(agentOf(world, node)?.toolAllowlist ?? null, event.request.calls ?? 'native')
  })
  return was !== null && (is === null || is!.some(name => !was!.includes(name)))
}
