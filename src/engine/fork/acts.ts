// What makes the next event of a record happen again: the same decision, asked for with what the record says came of every effect.
import type { Kept } from '../../core/fork/align.ts'
import { changeAfter, comesWithTheRun, commandOf, nodeFor } from '../../core/fork/asked.ts'
import { draftRun, emitRun } from '../../core/run/draft.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { graphOf, nextIn } from '../../core/run/graph.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { goOn } from '../../core/session/plan.ts'
import { deliverMail } from '../runs/deliver.ts'
import { childSession, startNode } from '../runs/start-node.ts'
import { workflowNow } from '../runs/world.ts'
import { judgeAgain, settleAgain } from './calls.ts'
import { sealedParts } from './edges.ts'
import type { Player } from './player.ts'
import { type Stage, stageOf } from './stage.ts'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

export interface Acts {
  readonly stage: Stage
  /** Nothing is written when it cannot happen as the fork stands. */
  again(kept: Kept<RunEvent>): Promise<void>
}

export function acts(player: Player): Acts {
  const { store, tenant, source, write } = player
  const partsAt = (now: number) => sealedParts(store, source.names.runId, now)
  const stage = stageOf(player, partsAt(0))
  const { placeOf, send } = stage

  async function start(nodeId: string, actor: string): Promise<void> {
    const { hostCatalog, session: _, ...desk } = await stage.desk(nodeId)
    await write(placeOf(actor), (run, frozen, load) => startNode({ store, tenant, nodeId, run, frozen, ...desk }, load, hostCatalog))
  }

  async function settleStep({ event, actor }: Kept<Of<'step.settled'>>): Promise<void> {
    const { nodeId, step, reply, receipt, failure, misfit } = event
    const { run } = await stage.session(nodeId)
    if (run === null) return
    const changed = changeAfter(event, stage.ahead())
    const brought = { objects: await stage.read([reply, receipt]), ...(changed === null ? {} : { changed }) }
    const unfit = misfit === undefined ? {} : { misfit }
    await send(nodeId, actor, { type: 'settleStep', run: run.run, step, reply, receipt, failure, ...unfit }, brought)
  }

  /** By what follows from how the node stands; otherwise as somebody gave it up then. */
  async function fail({ event, actor }: Kept<Of<'node.failed'>>): Promise<void> {
    const { nodeId, code, detail } = event
    const { run } = await stage.session(nodeId)
    const [effect] = run === null ? [] : goOn(run)
    const follows = effect?.type === 'step.prepare' || (effect?.type === 'reply.read' && effect.reply === null)
    if (follows && (await stage.goOn(nodeId, actor)) && nodeOf(await stage.state(), nodeId).status === 'failed') return
    await send(nodeId, actor, { type: 'failRun', code, detail })
  }

  async function again(kept: Kept<RunEvent>): Promise<void> {
    const { event, actor } = kept
    const nodeId = nodeFor(event)
    if (nodeId !== null) {
      const said = saidBefore(event, nodeId)
      if (said !== null) return void (await send(nodeId, said.actor, said.command))
      // It starts because the graph says so, whether or not the record does.
      if (await isDue(nodeId)) return start(nodeId, actor)
    }
    switch (event.type) {
      case 'node.started':
        return start(event.nodeId, actor)
      case 'step.settled':
        return settleStep(kept as Kept<typeof event>)
      case 'step.retried':
        return void (await send(event.nodeId, actor, { type: 'retryStep', code: event.code, detail: event.detail }))
      case 'tool.judged':
      case 'tool.settled':
        // Which calls there are follows from the reply.
        if (await stage.goOn(event.nodeId, actor)) return
        if (event.type === 'tool.judged') return judgeAgain(stage, kept as Kept<typeof event>)
        return settleAgain(stage, kept as Kept<typeof event>, partsAt)
      case 'tool.answered': {
        const { nodeId: asked, approval, decision, answeredBy: by, note, arguments: given } = event
        return void (await send(asked, actor, { type: 'answerApproval', approval, decision, by, note, arguments: given }))
      }
      case 'node.failed':
        return fail(kept as Kept<typeof event>)
      case 'run.claimed':
      case 'run.overlaid':
        return void (await write(placeOf(actor), async ({ state }) => ({ run: emitRun(draftRun(state), event), answer: null })))
      default: {
        const command = commandOf(event)
        if (command !== null) return stage.command(actor, command)
        if (nodeId === null || (await stage.goOn(nodeId, actor)) || event.type !== 'handoff.delivered') return
        await write(placeOf(actor), (run, frozen, load) => deliverMail(store, tenant, nodeId, { run, frozen, load }))
      }
    }
  }

  async function isDue(nodeId: string): Promise<boolean> {
    const state = await stage.state()
    return state.phase === 'running' && nextIn(graphOf(await workflowNow(store, tenant, state)), state).start.includes(nodeId)
  }

  /** What somebody said to the node's session before this happened; null when nobody did. */
  function saidBefore(event: RunEvent, nodeId: string): { readonly actor: string; readonly command: SessionCommand } | null {
    const { kept, next } = player.session(childSession(source.names.forkId, nodeId))
    const [first, second] = kept.slice(next, next + 2)
    // Whoever is ended with the run hears of it only then.
    if (first === undefined || event.type === 'run.cancelling') return null
    const { event: said, actor } = first
    if (said.type === 'command.received')
      return comesWithTheRun(said.command.id) ? null : { actor, command: { type: 'receive', command: said.command } }
    const isInput = said.type === 'message.appended' && second?.event.type === 'run.resumed'
    return isInput ? { actor, command: { type: 'provideInput', message: said.message } } : null
  }

  return { stage, again }
}
