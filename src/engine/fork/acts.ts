// Repeats the next event of a record: makes the same decision again, with the recorded outcome of every effect.
import type { Kept } from '../../core/fork/align.ts'
import { changeAfter, comesWithTheRun, commandOf, nodeFor } from '../../core/fork/asked.ts'
import { draftRun, emitRun } from '../../core/run/draft.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { graphOf, nextIn } from '../../core/run/graph/graph.ts'
import { nodeOf } from '../../core/run/state.ts'
import { planTurn } from '../../core/turn/plan.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { deliverLetters } from '../runs/graph/mail.ts'
import { workflowNow } from '../runs/start/world.ts'
import { startNode } from '../runs/start-node.ts'
import { outputIn } from '../turns/node-values.ts'
import type { TurnParts } from '../turns/performing.ts'
import { recordedReply } from '../turns/settled-reply.ts'
import { judgeAgain, settleAgain } from './calls.ts'
import type { Player } from './player.ts'
import { recordedStart } from './recorded-desk.ts'
import { type Stage, stageOf } from './stage.ts'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

export interface Acts {
  readonly stage: Stage
  /** Nothing is written when it cannot happen as the fork is. */
  again(kept: Kept<RunEvent>): Promise<void>
}

export function acts(player: Player): Acts {
  const { store, tenant, source, write } = player
  const partsAt = (now: number) => sealedParts(store, source.names.runId, now)
  const stage = stageOf(player, partsAt(0))
  const { placeOf, send } = stage

  async function start(nodeId: string, actor: string): Promise<void> {
    const desk = await stage.desk(nodeId)
    const recorded = recordedStart(player.run(), nodeId)
    await write(placeOf(actor), (run, frozen, load) => startNode({ store, tenant, nodeId, run, frozen, load, ...desk }, recorded))
  }

  async function settleStep({ event, actor }: Kept<Of<'step.settled'>>): Promise<void> {
    const { nodeId, step } = event
    const turn = await stage.turn(nodeId)
    if (turn?.step == null) return
    const { command, brought, texts } = await recordedReply(digest => store.object(tenant, digest), turn.step.request, event)
    const changed = changeAfter(event, stage.ahead())
    const objects = texts.map(text => new TextEncoder().encode(text))
    await send(nodeId, actor, { ...command, step }, { ...brought, objects, ...(changed === null ? {} : { changed }) })
  }

  /** Fails the node by its own state if that applies; otherwise as the recorded host did. */
  async function fail({ event, actor }: Kept<Of<'node.failed'>>): Promise<void> {
    const { nodeId, code, detail } = event
    const turn = await stage.turn(nodeId)
    const follows = turn !== null && planTurn(turn)?.type === 'step.prepare'
    if (follows && (await stage.goOn(nodeId, actor)) && nodeOf(await stage.state(), nodeId).status === 'failed') return
    await send(nodeId, actor, { type: 'fail', code, detail })
  }

  /** Ends an interactive turn: its client said that there is no more input. */
  async function complete({ event, actor }: Kept<Of<'node.completed'>>): Promise<void> {
    const turn = await stage.turn(event.nodeId)
    if (turn?.phase !== 'waiting') return
    const output = await outputIn(store, tenant, turn)
    await send(event.nodeId, actor, { type: 'complete' }, output === null ? {} : { output: output.output, objects: output.objects })
  }

  async function again(kept: Kept<RunEvent>): Promise<void> {
    const { event, actor } = kept
    const nodeId = nodeFor(event)
    // The graph starts the node, whether or not the record does.
    if (nodeId !== null && (await isDue(nodeId))) return start(nodeId, actor)
    switch (event.type) {
      case 'node.started':
        return start(event.nodeId, actor)
      case 'message.received':
        if (comesWithTheRun(event.message.id)) return goOn(event, event.nodeId, actor)
        return void (await send(event.nodeId, actor, { type: 'leaveMessage', message: event.message }))
      case 'step.settled':
        return settleStep(kept as Kept<typeof event>)
      case 'step.retried':
        return void (await send(event.nodeId, actor, { type: 'retryStep', step: event.step, code: event.code, detail: event.detail }))
      case 'call.judged':
        return judgeAgain(stage, kept as Kept<typeof event>)
      case 'call.settled':
        return settleAgain(stage, kept as Kept<typeof event>, partsAt)
      case 'approval.resolved':
        return answer(kept as Kept<typeof event>)
      case 'node.failed':
        return fail(kept as Kept<typeof event>)
      case 'node.completed':
        return complete(kept as Kept<typeof event>)
      case 'run.claimed':
      case 'run.overlaid':
        return void (await write(placeOf(actor), async ({ state }) => ({ draft: emitRun(draftRun(state), event), answer: null })))
      default: {
        const command = commandOf(event)
        return command === null ? goOn(event, nodeId, actor) : stage.command(actor, command)
      }
    }
  }

  async function goOn(event: RunEvent, nodeId: string | null, actor: string): Promise<void> {
    if (nodeId === null || (await stage.goOn(nodeId, actor)) || event.type !== 'handoff.delivered') return
    await write(placeOf(actor), async ({ state }, { workflow }) => ({
      ...(await deliverLetters(store, tenant, draftRun(state), workflow, nodeId, 1)),
      answer: null,
    }))
  }

  async function answer({ event, actor }: Kept<Of<'approval.resolved'>>): Promise<void> {
    const { nodeId, approval, decision, answeredBy: by, note, arguments: given } = event
    const wants = (await stage.state()).approvals.find(one => one.approval === approval)?.wants
    if (wants?.kind === 'mode') {
      if (decision !== 'expired') await stage.command(actor, { type: 'resolveMode', approval, decision, by, note })
      return
    }
    await send(nodeId, actor, { type: 'answerApproval', approval, decision, by, note, arguments: given })
  }

  async function isDue(nodeId: string): Promise<boolean> {
    const state = await stage.state()
    return state.phase === 'running' && nextIn(graphOf(await workflowNow(store, tenant, state)), state).start.includes(nodeId)
  }

  return { stage, again }
}

/** @param now the only clock there is */
function sealedParts(store: Store, runId: string, now: number): TurnParts {
  const missing = (what: string): never => {
    throw new Fault('replay_source_missing', { runId, what })
  }
  return {
    store,
    models: { call: async () => missing('what the model said') },
    secrets: () => ({ get: async () => missing('a secret') }),
    validator: { ask: async () => missing('what a schema says'), close: async () => {} },
    bindings: new Map(),
    hostCatalog: null,
    grants: [],
    policy: () => missing('the policy of workspaces'),
    wait: async () => {},
    failed: error => {
      throw error
    },
    now: () => now,
    newId: () => missing('an id'),
  }
}
