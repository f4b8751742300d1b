// Tool calls made again: judged as they stand, and settled with what is on record of them. No tool is called.

import type { Json } from '../../core/digest/digest.ts'
import type { Kept } from '../../core/fork/align.ts'
import { changeAfter, outcomeOf, termsOf } from '../../core/fork/asked.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { callInTurn } from '../../core/session/state.ts'
import { isGraphTool } from '../../core/tools/graph-descriptors.ts'
import { remakeVerdict } from '../replay/remake-verdict.ts'
import { type LoadedRole, loadRole, roleFrom } from '../roles/load-role.ts'
import { changeGraph } from '../runs/change-graph.ts'
import { readStored } from '../turns/node-values.ts'
import { settleReply } from '../runs/replies.ts'
import { worldOf } from '../runs/world.ts'
import type { SessionParts } from '../turns/performing.ts'
import type { Stage } from './stage.ts'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

export async function judgeAgain(stage: Stage, { event, actor }: Kept<Of<'tool.judged'>>): Promise<void> {
  const { nodeId, call: id, verdict: recorded } = event
  const { store, tenant, source, write } = stage.player
  const state = await stage.state()
  const session = await stage.session(nodeId)
  const { run, epoch } = session
  const call = callInTurn(run?.batch ?? null)
  if (run === null || call?.id !== id) return
  const frozen = await worldOf(store, tenant, state)
  const verdict = (await remakeVerdict({ store, tenant, state, frozen, nodeId, session, call: id, verdict: recorded })) ?? recorded
  const { batch, stepEpoch } = run.batch!
  if (isGraphTool(call.name) && recorded.decision === 'allowed') {
    const given = await readStored<Json>(store, tenant, call.approval?.arguments ?? call.arguments)
    const effect = { type: 'tool.call', run: run.run, batch, call, again: call.started, epoch, stepEpoch } as const
    const { calls } = await stage.desk(nodeId)
    const node = { runId: source.names.forkId, nodeId }
    const roleNamed = (name: string): Promise<LoadedRole> => roleThen(stage, name)
    await changeGraph({ write, roleNamed, calls }, stage.performing(nodeId, session.session, actor), node, {
      effect,
      verdict,
      arguments: given,
    })
    return
  }
  const asks = termsOf(event, stage.ahead())
  const of = { run: run.run, batch, call: id, again: call.started }
  await stage.send(nodeId, actor, { type: 'judgeCall', ...of, verdict, mode: state.mode, ...(asks === null ? {} : { asks }) })
}

/** As the next node was given it that was spawned with it then. What was given to none is looked for where it ships. */
async function roleThen({ player }: Stage, name: string): Promise<LoadedRole> {
  const { kept, next } = player.run()
  for (const { event } of kept.slice(next))
    if (event.type === 'node.spawned' && event.role.name === name)
      return roleFrom(new TextDecoder().decode(await player.store.object(player.tenant, event.role.file)), name, event.role.source)
  return loadRole(null, name)
}

/** @param partsAt what is around a reply that somebody waits for: the clock alone, which says whether they have waited long enough */
export async function settleAgain(
  stage: Stage,
  { event, actor }: Kept<Of<'tool.settled'>>,
  partsAt: (now: number) => SessionParts,
): Promise<void> {
  const { nodeId, call, result } = event
  const { run, epoch } = await stage.session(nodeId)
  if (run === null || run.batch === null) return
  const awaited = (await stage.state()).awaited.find(one => one.nodeId === nodeId && one.call === call)
  const isOver = stage.ahead()?.type === 'handoff.expired'
  if (awaited !== undefined && (await settleAwaited(stage, nodeId, actor, awaited.handoff, partsAt(isOver ? Number.MAX_SAFE_INTEGER : 0))))
    return
  const outcome = outcomeOf(event)
  const { batch, stepEpoch } = run.batch
  // One that came too late comes too late again.
  const since = outcome.status === 'stale' ? -1 : epoch
  const changed = changeAfter(event, stage.ahead())
  await stage.send(
    nodeId,
    actor,
    { type: 'settleCall', run: run.run, batch, call, outcome, result, epoch: since, stepEpoch },
    { objects: await stage.read([result]), ...(changed === null ? {} : { changed }) },
  )
}

async function settleAwaited(stage: Stage, nodeId: string, actor: string, handoff: string, parts: SessionParts): Promise<boolean> {
  const { hostCatalog: _, session: __, ...desk } = await stage.desk(nodeId)
  const place = stage.placeOf(actor)
  const written = await stage.player.write(place, (run, frozen, load) => settleReply(parts, place, desk, handoff, { run, frozen, load }))
  return written !== null
}
