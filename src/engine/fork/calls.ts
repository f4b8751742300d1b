// Repeats tool calls in a fork: judges them again, and settles them with the recorded results. No tool is called.

import type { Json } from '../../core/digest/digest.ts'
import type { Kept } from '../../core/fork/align.ts'
import { changeAfter, outcomeOf, termsOf } from '../../core/fork/asked.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { isGraphTool } from '../../core/tools/graph-descriptors.ts'
import type { JudgeCall } from '../../core/turn/commands.ts'
import { callInTurn } from '../../core/turn/state.ts'
import { remakeVerdict } from '../replay/remake-verdict.ts'
import { type LoadedRole, loadRole, roleFrom } from '../roles/load-role.ts'
import { changeGraph } from '../runs/graph/change-graph.ts'
import { settleReply } from '../runs/graph/replies.ts'
import { readStored } from '../turns/node-values.ts'
import type { TurnParts } from '../turns/performing.ts'
import type { Stage } from './stage.ts'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

export async function judgeAgain(stage: Stage, { event, actor }: Kept<Of<'call.judged'>>): Promise<void> {
  const { nodeId, call: id, verdict: recorded } = event
  const { store, tenant, write } = stage.player
  const at = await stage.at(nodeId)
  const call = at === null ? null : callInTurn(at.turn)
  if (at === null || call?.id !== id) return
  const verdict = (await remakeVerdict({ store, tenant, at, nodeId, call: id, verdict: recorded })) ?? recorded
  const asks = termsOf(event, stage.ahead())
  const command: JudgeCall = {
    type: 'judgeCall',
    call: id,
    verdict,
    again: call.started,
    mode: at.state.mode,
    ...(asks == null ? {} : { asks }),
  }
  if (!isGraphTool(call.name) || recorded.decision !== 'allowed') return void (await stage.send(nodeId, actor, command))
  const given = await readStored<Json>(store, tenant, call.approval?.changed ?? call.arguments)
  const { calls } = await stage.desk(nodeId)
  const roleNamed = (name: string): Promise<LoadedRole> => roleThen(stage, name)
  await changeGraph({ write, roleNamed, calls }, stage.performing(nodeId, actor), {
    at,
    call,
    command,
    binding: undefined,
    arguments: given,
  })
}

/** The role as recorded with the next node that was spawned with it. A role that no recorded node has comes from the shipped roles. */
async function roleThen({ player }: Stage, name: string): Promise<LoadedRole> {
  const { kept, next } = player.run()
  for (const { event } of kept.slice(next))
    if (event.type === 'node.spawned' && event.role.name === name)
      return roleFrom(new TextDecoder().decode(await player.store.object(player.tenant, event.role.file)), name, event.role.source)
  return loadRole(null, name)
}

/** @param partsAt the surroundings of an awaited reply: only the clock, which decides whether the wait is over */
export async function settleAgain(
  stage: Stage,
  { event, actor }: Kept<Of<'call.settled'>>,
  partsAt: (now: number) => TurnParts,
): Promise<void> {
  const { nodeId, call, result, resultHash } = event
  const awaited = (await stage.state()).awaited.find(one => one.nodeId === nodeId && one.call === call)
  const isOver = stage.ahead()?.type === 'handoff.expired'
  if (awaited !== undefined && (await settleAwaited(stage, actor, awaited.handoff, partsAt(isOver ? Number.MAX_SAFE_INTEGER : 0)))) return
  const changed = changeAfter(event, stage.ahead())
  const hash = resultHash === undefined ? {} : { resultHash }
  await stage.send(
    nodeId,
    actor,
    { type: 'settleCall', call, outcome: outcomeOf(event), result, ...hash },
    { objects: await stage.read([result]), ...(changed === null ? {} : { changed }) },
  )
}

async function settleAwaited(stage: Stage, actor: string, handoff: string, parts: TurnParts): Promise<boolean> {
  const place = stage.placeOf(actor)
  const written = await stage.player.write(place, (run, frozen) => settleReply(parts, place, handoff, run, frozen))
  return written !== null
}
