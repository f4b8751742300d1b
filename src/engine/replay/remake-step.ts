// Remakes one step from the record: resolves, composes and lays it out again, from the frozen inputs and the events before it.
import type { Mode } from '../../core/compose/mode.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import { type Materialized, materializeStep } from '../../core/turn/materialize.ts'
import type { Turn } from '../../core/turn/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import type { LoadedRun } from '../runs/load.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import { type MadeStep, makeStep, type StepHost } from '../turns/make-step.ts'
import type { StoredCatalog } from '../turns/step-tools.ts'
import { shippedThen } from './shipped-then.ts'

export interface RemadeStep extends Pick<MadeStep, 'composed' | 'catalogs'> {
  /** Null when nothing could be composed. */
  readonly made: Materialized | null
}

interface StepOnRecord {
  readonly store: Store
  readonly tenant: string
  readonly run: LoadedRun
  readonly frozen: LoadedFrozen
  readonly node: WorkflowNode
  readonly event: StepStarted
  /** The state of the turn at the start of the step, with the snapshot of the step. */
  readonly turn: Pick<Turn, 'config' | 'snapshot' | 'history'>
}

export async function remakeStep({ store, tenant, run, frozen, node, event, turn }: StepOnRecord): Promise<RemadeStep> {
  const host = await recordedHost(store, tenant, event, run.state.mode)
  const { composed, shown, catalogs } = await makeStep({ store, tenant, run: untold(run, node.id), frozen, node, turn }, host)
  if (!composed.ok) return { composed, made: null, catalogs }
  const { system, user } = composed
  const { config, snapshot, history } = turn
  return { composed, made: materializeStep({ config, snapshot, history, ...shown, system, user }), catalogs }
}

/** The host that started a step, as the step's own record shows it. @param mode that the step is made in */
export async function recordedHost(store: Store, tenant: string, event: StepStarted, mode: Mode): Promise<StepHost> {
  const { request, prompt } = event
  return {
    calling: request.calls ?? 'native',
    resumes: prompt.sent.reason !== 'cannot_resume',
    catalog: await hostCatalogOf(store, tenant, request.tools ?? [], mode === 'planning' ? 1 : 0),
    shipped: await shippedThen(store, tenant, event, mode),
  }
}

/** The run as if this visit had recorded no prompt events: then all of them are made again, and can be compared. */
const untold = (run: LoadedRun, nodeId: string): LoadedRun => {
  const { nodes } = run.state
  return { ...run, state: { ...run.state, nodes: { ...nodes, [nodeId]: { ...nodeOf(run.state, nodeId), told: [] } } } }
}

/**
 * Replaces the host's catalog: the catalog that the step showed, which was selected from it. @param added how many catalogs the mode adds
 */
async function hostCatalogOf(store: Store, tenant: string, shown: readonly Digest[], added: number): Promise<StoredCatalog | null> {
  const [digest] = shown.slice(0, shown.length - added)
  return digest === undefined ? null : { digest, bytes: await store.object(tenant, digest) }
}
