// One step made again from the record: chosen, composed and laid out as it was, from what the run had frozen and what had happened until then.
import type { Digest } from '../../core/digest/digest.ts'
import { nodeOf } from '../../core/run/state.ts'
import { preludeOf } from '../../core/session/prelude-ladder.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import { type Materialized, materializeStep } from '../../core/turn/materialize.ts'
import type { Turn } from '../../core/turn/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import type { LoadedFrozen } from '../runs/frozen.ts'
import type { LoadedRun } from '../runs/load.ts'
import { type ComposedStep, composeStep } from '../turns/compose-step.ts'
import type { HostCatalog } from '../turns/start-step.ts'
import { protocolOf, shownTools, stepTools } from '../turns/step-tools.ts'
import { agentOf, composeStyle } from '../turns/task.ts'
import { shippedThen } from './shipped-then.ts'

export interface RemadeStep {
  readonly composed: ComposedStep
  /** Null when nothing could be composed. */
  readonly made: Materialized | null
  /** Catalogs that were made for it. */
  readonly catalogs: readonly Uint8Array[]
}

interface StepOnRecord {
  readonly store: Store
  readonly tenant: string
  readonly run: LoadedRun
  readonly frozen: LoadedFrozen
  readonly node: WorkflowNode
  readonly event: StepStarted
  /** As it was when the step was started, with the snapshot of the step. */
  readonly turn: Pick<Turn, 'config' | 'snapshot' | 'history'>
}

/**
 * What only the host knew is taken from the record: how the provider calls tools, whether it keeps conversations, the host's own
 * catalog, and what shipped with its release.
 */
export async function remakeStep({ store, tenant, run, frozen, node, event, turn }: StepOnRecord): Promise<RemadeStep> {
  const { request, prompt } = event
  const { mode } = run.state
  const calling = request.calls ?? 'native'
  const hostCatalog = await hostCatalogOf(store, tenant, request.tools ?? [], mode === 'planning' ? 1 : 0)
  const listed = frozen.spawned.get(node.id)?.node.tools ?? agentOf(frozen, node)?.toolAllowlist ?? null
  const { blocks: shipped, planning } = await shippedThen(store, tenant, event, mode)
  const tools = await stepTools(store, tenant, turn, hostCatalog, { listed, mode, calling, planning })
  const isUnmentioned = calling === 'native' && composeStyle(frozen, node) === 'verbatim'
  const protocol = protocolOf(calling, isUnmentioned ? [] : await shownTools(store, tenant, turn, hostCatalog, tools))
  const { config, snapshot, history } = turn
  const { prelude } = preludeOf(config, snapshot)
  const resumes = prompt.sent.reason !== 'cannot_resume'
  const composed = await composeStep({
    store,
    tenant,
    run: untold(run, node.id),
    frozen,
    node,
    snapshot,
    prelude,
    resumes,
    protocol,
    shipped,
  })
  const catalogs = tools?.objects ?? []
  if (!composed.ok) return { composed, made: null, catalogs }
  const { system, user } = composed
  const shown = { ...(tools === null ? {} : { toolDigests: tools.toolDigests }), ...(calling === 'native' ? {} : { calls: calling }) }
  const made = materializeStep({ config, snapshot, history, hostCatalog: hostCatalog?.digest ?? null, ...shown, system, user })
  return { composed, made, catalogs }
}

/** As if nothing had been told in this visit: then all of it is told again, and can be compared. */
const untold = (run: LoadedRun, nodeId: string): LoadedRun => {
  const { nodes } = run.state
  return { ...run, state: { ...run.state, nodes: { ...nodes, [nodeId]: { ...nodeOf(run.state, nodeId), told: [] } } } }
}

/** What was shown was taken from it: whatever is taken from that again must be all of it. @param added how many catalogs the mode adds */
export async function hostCatalogOf(store: Store, tenant: string, shown: readonly Digest[], added: number): Promise<HostCatalog | null> {
  const [digest] = shown.slice(0, shown.length - added)
  return digest === undefined ? null : { digest, bytes: await store.object(tenant, digest) }
}
