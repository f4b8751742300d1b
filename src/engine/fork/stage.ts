// Where a fork is made again: its nodes as they stand, and commands to them with what the record says was around them. Chooses nothing.
import type { Digest } from '../../core/digest/digest.ts'
import type { RunCommand } from '../../core/run/decide.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { goOn } from '../../core/session/plan.ts'
import type { SessionState } from '../../core/session/state.ts'
import { commandRun } from '../runs/command-run.ts'
import { keptRun } from '../runs/load.ts'
import { changeSession } from '../runs/session-graph.ts'
import { childSession } from '../runs/start-node.ts'
import type { RunPlace } from '../runs/write-run.ts'
import { loadSession } from '../sessions/load.ts'
import type { Performing, SessionParts } from '../turns/performing.ts'
import { readReply } from '../sessions/read-reply.ts'
import type { Submission, Submitted } from '../sessions/submit.ts'
import type { Player } from './player.ts'
import { type RecordedDesk, recordedDesk } from './recorded-desk.ts'

export interface Stage {
  readonly player: Player
  placeOf(actor: string): RunPlace
  state(): Promise<RunState>
  session(nodeId: string): Promise<SessionState>
  desk(nodeId: string): Promise<RecordedDesk & { readonly session: string }>
  /** To the session of a node. */
  send(nodeId: string, actor: string, command: SessionCommand, submission?: Submission): Promise<Submitted>
  command(actor: string, command: RunCommand): Promise<void>
  /** From where the node stands. False, with nothing done, when something of it is under way. */
  goOn(nodeId: string, actor: string): Promise<boolean>
  performing(nodeId: string, session: string, actor: string): Performing
  read(digests: readonly (Digest | null)[]): Promise<readonly Uint8Array[]>
  /** What the record says right after the event that is to happen now. */
  ahead(): RunEvent | undefined
}

export function stageOf(player: Player, parts: SessionParts): Stage {
  const { store, tenant, source, write } = player
  const { forkId } = source.names
  const placeOf = (actor: string): RunPlace => ({ tenant, runId: forkId, actor })
  const stateNow = async (): Promise<RunState> => (await keptRun(store, tenant, forkId)).state
  const sessionNow = async (nodeId: string): Promise<SessionState> =>
    (await loadSession(store, tenant, nodeOf(await stateNow(), nodeId).session)).state

  async function desk(nodeId: string): Promise<RecordedDesk & { readonly session: string }> {
    const session = childSession(forkId, nodeId)
    const { mode } = await stateNow()
    return { session, ...(await recordedDesk(store, tenant, nodeId, player.run(), player.session(session), mode)) }
  }

  async function send(nodeId: string, actor: string, command: SessionCommand, submission: Submission = {}): Promise<Submitted> {
    const { hostCatalog, ...around } = await desk(nodeId)
    const isStep = command.type === 'startStep' && hostCatalog !== null
    const asked = isStep ? { ...command, hostCatalog: hostCatalog.digest } : command
    const brought = isStep ? { objects: [hostCatalog.bytes] } : submission
    let answer: Submitted | null = null
    await write(placeOf(actor), async (run, frozen, load) => {
      const change = await changeSession({ store, tenant, nodeId, run, frozen, ...around }, await load(around.session), asked, brought)
      answer = change?.answer ?? null
      // That the fork refuses what its source took is told as what did not happen again.
      return change === null || (change.answer.refusal !== null && change.run.events.length === 0) ? null : change
    })
    return answer ?? { state: await sessionNow(nodeId), ...GONE }
  }

  const performing = (nodeId: string, session: string, actor: string): Performing => ({
    parts,
    place: { tenant, session, actor },
    signal: new AbortController().signal,
    send: (command, submission) => send(nodeId, actor, command, submission),
  })

  return {
    player,
    placeOf,
    state: stateNow,
    session: sessionNow,
    desk,
    send,
    performing,
    async command(actor, asked) {
      await write(placeOf(actor), (run, { workflow }, load) => commandRun(load, run, workflow, asked, {}))
    },
    async goOn(nodeId, actor) {
      const { session, run } = await sessionNow(nodeId)
      const [effect] = run === null ? [] : goOn(run)
      if (effect?.type === 'step.prepare') await send(nodeId, actor, { type: 'startStep', of: { run: effect.run, step: effect.step } })
      else if (effect?.type === 'reply.read') await readReply(performing(nodeId, session, actor), effect)
      else return false
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

const GONE: Omit<Submitted, 'state'> = {
  events: [],
  refusal: { code: 'run_missing', message: 'the session does not work for this node' },
  effects: [],
  replayed: null,
}
