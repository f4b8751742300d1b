// Checks the last reply of a node against the output schema of its prompt's pack. The verdict is recorded with the reply.
import { replyValue } from '../../core/example/reply.ts'
import type { SnapshotPacks } from '../../core/library/pack-set.ts'
import { type Resolution, resolveNode } from '../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../core/resolve/snapshot-lookup.ts'
import { lookupOf } from '../../core/run/frozen.ts'
import type { ReplyMisfit } from '../../core/turn/events.ts'
import { Fault } from '../../errors.ts'
import type { Validator } from '../../ports.ts'
import type { PackSchemas } from '../library/pack-schemas.ts'
import { loadSnapshotPacks } from '../library/pack-sets.ts'
import { schemaMisfit } from '../runs/start/check-input.ts'
import { DIALECT, resolveRequest } from '../runs/start/frozen.ts'
import { nodeSchemas } from '../runs/start/node-schemas.ts'
import { validatorOf } from '../work/fair-validator.ts'
import { readStored } from './node-values.ts'
import type { AtWork, TurnParts, TurnPlace } from './performing.ts'
import { configurableOf, promptOverrides } from './step-parts.ts'
import { agentOf } from './task.ts'

/** Null for a reply that fits, and for a node whose prompt comes without schemas. */
export async function replyMisfit(
  { store, validator }: Pick<TurnParts, 'store' | 'validator'>,
  { tenant, nodeId }: TurnPlace,
  { frozen, run, turn }: AtWork,
  text: string,
): Promise<ReplyMisfit | null> {
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const packs = await loadSnapshotPacks(store, tenant, turn.snapshot)
  const digest = packs === null ? (frozen.packs?.[nodeId] ?? null) : nodeSchemas(frozen, node, packs, await resolvedWith(packs))
  if (digest === null) return null
  const pack = await readStored<PackSchemas>(store, tenant, digest)
  const problem = await problemIn(validatorOf(validator, tenant), pack, text)
  if (problem === null) return null
  const { message: detail } = new Fault('reply_misfit', { pack: `${pack.pack}@${pack.version}`, nodeId, problem })
  return { detail, onMisfit: agentOf(frozen, node)?.onMisfit ?? frozen.workflow.onMisfit ?? 'fail' }

  async function resolvedWith(given: SnapshotPacks): Promise<readonly Resolution[]> {
    const overrides = promptOverrides(await configurableOf({ store, tenant, run }))
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
