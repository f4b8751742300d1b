// Folder: The work of one turn: compose a step, call the model, read its reply, judge and make calls. It starts no effect that is not on record.
// One step of a node, made from its place and from the host around it. A host that starts a step, a replay that makes it again and a proposal that
// changes it all call this function; they differ only in where `StepHost` comes from.
import { preludeOf } from '../../core/session/prelude-ladder.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { StartStep } from '../../core/turn/commands.ts'
import type { Turn } from '../../core/turn/state.ts'
import { type ComposedStep, composeStep } from './compose-step.ts'
import type { Shipped } from './shipped.ts'
import type { NodePlace, StepPlace } from './step-parts.ts'
import { protocolOf, type StoredCatalog, shownTools, stepTools } from './step-tools.ts'
import { agentOf, composeStyle } from './task.ts'

/** Values that a host adds to a step. A live host looks them up; a replay reads them from the record. */
export interface StepHost {
  /** How the provider calls tools. */
  readonly calling: Calling
  /** Whether the provider continues a conversation that it holds. */
  readonly resumes: boolean
  readonly catalog: StoredCatalog | null
  readonly shipped: Shipped
}

export interface MakingStep extends NodePlace, Pick<StepPlace, 'handoffs'> {
  /** With the snapshot that is active for this step. */
  readonly turn: Pick<Turn, 'config' | 'snapshot'>
}

/** Everything of the command that composing does not decide. */
type Shown = Pick<StartStep, 'toolDigests' | 'hostCatalog' | 'calls'>

export interface MadeStep {
  readonly composed: ComposedStep
  readonly shown: Shown
  /** Catalogs made for the step. */
  readonly catalogs: readonly Uint8Array[]
}

export async function makeStep({ turn, ...place }: MakingStep, { calling, resumes, catalog, shipped }: StepHost): Promise<MadeStep> {
  const { store, tenant, run, frozen, node } = place
  const { mode } = run.state
  const { config, snapshot } = turn
  const listed = frozen.spawned.get(node.id)?.node.tools ?? agentOf(frozen, node)?.toolAllowlist ?? null
  const tools = await stepTools(store, tenant, turn, catalog, { listed, mode, calling, planning: shipped.planning })
  const isUnmentioned = calling === 'native' && composeStyle(frozen, node) === 'verbatim'
  const protocol = protocolOf(calling, isUnmentioned ? [] : await shownTools(store, tenant, turn, catalog, tools))
  const { prelude } = preludeOf(config, snapshot)
  const composed = await composeStep({ ...place, snapshot, prelude, resumes, protocol, shipped: shipped.blocks })
  const lines = calling === 'native' ? {} : { calls: calling }
  const shown = { toolDigests: tools?.toolDigests ?? null, hostCatalog: catalog?.digest ?? null, ...lines }
  return { composed, shown, catalogs: tools?.objects ?? [] }
}
