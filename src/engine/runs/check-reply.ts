// The last reply of a node against the output schema of the pack that its prompt comes from. The verdict goes on record with the reply.
import { replyValue } from '../../core/example/reply.ts'
import type { SnapshotPacks } from '../../core/library/pack-set.ts'
import { type Resolution, resolveNode } from '../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../core/resolve/snapshot-lookup.ts'
import { lookupOf } from '../../core/run/frozen.ts'
import type { RunState } from '../../core/run/state.ts'
import type { ReplyMisfit } from '../../core/session/events.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { Fault } from '../../errors.ts'
import type { Store, Validator } from '../../ports.ts'
import type { PackSchemas } from '../library/pack-schemas.ts'
import { loadSnapshotPacks } from '../library/pack-sets.ts'
import { schemaMisfit } from './check-input.ts'
import { DIALECT, resolveRequest } from './frozen.ts'
import { nodeSchemas } from './node-schemas.ts'
import { readStored } from './node-values.ts'
import { configurableOf, promptOverrides } from './step-parts.ts'
import { agentOf } from './task.ts'
import { worldOf } from './world.ts'

/** Null for a reply that fits, and for a node whose prompt comes without schemas. */
export async function replyMisfit(
  { store, validator }: { readonly store: Store; readonly validator: Pick<Validator, 'ask'> },
  tenant: string,
  state: RunState,
  nodeId: string,
  text: string,
  snapshot: Snapshot | null,
): Promise<ReplyMisfit | null> {
  const frozen = await worldOf(store, tenant, state)
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const packs = await loadSnapshotPacks(store, tenant, snapshot)
  const digest = packs === null ? (frozen.packs?.[nodeId] ?? null) : nodeSchemas(frozen, node, packs, await resolvedWith(packs))
  if (digest === null) return null
  const pack = await readStored<PackSchemas>(store, tenant, digest)
  const problem = await problemIn(validator, pack, text)
  if (problem === null) return null
  const { message: detail } = new Fault('reply_misfit', { pack: `${pack.pack}@${pack.version}`, nodeId, problem })
  return { detail, onMisfit: agentOf(frozen, node)?.onMisfit ?? frozen.workflow.onMisfit ?? 'fail' }

  async function resolvedWith(given: SnapshotPacks): Promise<readonly Resolution[]> {
    const overrides = promptOverrides(await configurableOf({ store, tenant, run: { state } }))
    const lookup = snapshotLookup(lookupOf(frozen.lookup), given)
    return resolveNode(resolveRequest(frozen, node, overrides), lookup, ['system'], DIALECT).resolutions
  }
}

async function problemIn(validator: Pick<Validator, 'ask'>, pack: PackSchemas, text: string): Promise<string | null> {
  const reply = replyValue(text, pack.schemas[pack.outputSchema] ?? null, { fences: true })
  if (!reply.ok) return `${reply.message[0]!.toLowerCase()}${reply.message.slice(1)}`
  const misfit = await schemaMisfit(validator, pack, pack.outputSchema, reply.value)
  return misfit === null ? null : `${misfit.pointer === '' ? 'the reply' : misfit.pointer} ${misfit.problem}`
}
