// The stage of a replay: the fork's current turns, and commands to them with the recorded surroundings. Chooses nothing.
import type { Digest } from '../../core/digest/digest.ts'
import { decideRun, type RunCommand } from '../../core/run/decide.ts'
import { draftRun } from '../../core/run/draft.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { Brought } from '../../core/run/graph/walk.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import type { TurnCommand } from '../../core/turn/commands.ts'
import { planTurn } from '../../core/turn/plan.ts'
import type { Turn } from '../../core/turn/state.ts'
import { keptRun } from '../runs/load.ts'
import { worldOf } from '../runs/start/world.ts'
import type { RunPlace } from '../runs/write-run.ts'
import type { AtWork, Performing, Sent, TurnParts } from '../turns/performing.ts'
import { startStep } from '../turns/start-step.ts'
import type { Player } from './player.ts'
import { type RecordedDesk, recordedDesk } from './recorded-desk.ts'

export interface Stage {
  readonly player: Player
  placeOf(actor: string): RunPlace
  state(): Promise<RunState>
  turn(nodeId: string): Promise<Turn | null>
  at(nodeId: string): Promise<AtWork | null>
  desk(nodeId: string): Promise<RecordedDesk>
  /** To the turn of a node. */
  send(nodeId: string, actor: string, command: TurnCommand, brought?: Brought & { readonly objects?: readonly Uint8Array[] }): Promise<Sent>
  command(actor: string, command: RunCommand): Promise<void>
  /** Starts the node's next step. False, with nothing done, when it is not due. */
  goOn(nodeId: string, actor: string): Promise<boolean>
  performing(nodeId: string, actor: string): Performing
  read(digests: readonly (Digest | null)[]): Promise<readonly Uint8Array[]>
  /** The recorded event right after the next one. */
  ahead(): RunEvent | undefined
}

export function stageOf(player: Player, parts: TurnParts): Stage {
  const { store, tenant, source, write } = player
  const { forkId } = source.names
  const placeOf = (actor: string): RunPlace => ({ tenant, runId: forkId, actor })
  const stateNow = async (): Promise<RunState> => (await keptRun(store, tenant, forkId)).state
  const turnNow = async (nodeId: string): Promise<Turn | null> => nodeOf(await stateNow(), nodeId).turn
  const desk = async (nodeId: string): Promise<RecordedDesk> => recordedDesk(store, tenant, nodeId, player.run(), (await stateNow()).mode)

  async function at(nodeId: string): Promise<AtWork | null> {
    const run = await keptRun(store, tenant, forkId)
    const node = nodeOf(run.state, nodeId)
    if (node.turn === null) return null
    return { run, state: run.state, frozen: await worldOf(store, tenant, run.state), node, turn: node.turn }
  }

  /** A command that the fork refuses, and its source took, is recorded as an event that did not happen again. */
  async function decided(actor: string, command: RunCommand, objects: readonly Uint8Array[]): Promise<Sent> {
    let sent: Sent = GONE
    await write(placeOf(actor), async ({ state }, { workflow }) => {
      const ruling = decideRun(draftRun(state), workflow, command)
      sent = 'events' in ruling ? { refusal: null } : { refusal: ruling }
      return 'events' in ruling ? { draft: ruling, objects, answer: null } : null
    })
    return sent
  }

  const send: Stage['send'] = (nodeId, actor, command, { objects = [], ...brought } = {}) =>
    decided(actor, { type: 'turn', nodeId, command, ...brought }, objects)

  return {
    player,
    placeOf,
    state: stateNow,
    turn: turnNow,
    at,
    desk,
    send,
    performing: (nodeId, actor) => ({
      parts,
      place: { tenant, runId: forkId, nodeId, actor },
      signal: new AbortController().signal,
      now: () => at(nodeId),
      send: async (commands, submission) => {
        let sent: Sent = GONE
        for (const command of [commands].flat()) sent = await send(nodeId, actor, command, submission)
        return sent
      },
    }),
    async command(actor, command) {
      await decided(actor, command, [])
    },
    async goOn(nodeId, actor) {
      const turn = await turnNow(nodeId)
      const effect = turn === null ? null : planTurn(turn)
      if (effect?.type !== 'step.prepare') return false
      const around = await desk(nodeId)
      await write(placeOf(actor), async (run, frozen, load) => {
        const started = await startStep({ store, tenant, nodeId, run, frozen, load, ...around }, draftRun(run.state), effect.step)
        return started.draft.events.length === 0 ? null : { ...started, answer: null }
      })
      return true
    },
    async read(digests) {
      const found: Uint8Array[] = []
      for (const digest of digests) if (digest !== null) found.push(await store.object(tenant, digest))
      return found
    },
    ahead: () => player.run().kept[player.run().next + 1]?.event,
  }
}

const GONE: Sent = { refusal: { code: 'node_not_running', message: 'the node is not running' } }
