// Lists the providers that a run needs to go on, so that a host can check them before it resumes the run. Calls no provider.
import { isEnded, nodeOf, type RunState } from '../../../core/run/state.ts'
import { emptyConfig } from '../../../core/session/config.ts'
import type { Workflow } from '../../../core/workflow/workflow.ts'
import type { Store } from '../../../ports.ts'
import { loadRun } from '../load.ts'
import { configFor, homeOf } from '../start-node.ts'
import { agentsOf, type RunWorld } from './frozen.ts'
import { worldOf } from './world.ts'

/** The providers that a run of this workflow would need, if it were created now. */
export async function providersOfWorkflow(
  store: Store,
  tenant: string,
  workflow: Workflow,
  { model }: Pick<RunWorld, 'model'>,
): Promise<ReadonlySet<string>> {
  const frozen = { workflow, agents: await agentsOf(store, tenant, workflow), model }
  const providers = new Set<string>()
  for (const node of workflow.nodes) {
    const home = await homeOf(store, tenant, frozen, node)
    providers.add(configFor(frozen, node, home?.config ?? emptyConfig).provider)
  }
  return providers
}

/**
 * The providers of all nodes. A node that has ended counts too: an edge or a message may lead back to it. A run that has ended, or is being cancelled,
 * asks no model.
 */
export async function providersOf(store: Store, tenant: string, runId: string): Promise<ReadonlySet<string>> {
  const { state } = await loadRun(store, tenant, runId)
  return isEnded(state) || state.phase === 'cancelling' ? new Set() : providersFor(store, tenant, state)
}

/** Whether it is over or not: a branch goes on with it. */
export async function providersFor(store: Store, tenant: string, state: RunState): Promise<ReadonlySet<string>> {
  const providers = new Set<string>()
  if (state.frozen === null) return providers
  const frozen = await worldOf(store, tenant, state)
  for (const node of frozen.workflow.nodes) {
    const { turn } = nodeOf(state, node.id)
    const home = turn === null ? await homeOf(store, tenant, frozen, node) : null
    providers.add((turn?.config ?? configFor(frozen, node, home?.config ?? emptyConfig)).provider)
  }
  return providers
}
