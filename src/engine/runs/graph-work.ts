// The part of the conductor that agents move: their graph tools, what they send one another, and the replies they wait for.
import { nodeOf } from '../../core/run/state.ts'
import { isGraphTool } from '../../core/tools/graph-descriptors.ts'
import type { Deadlines } from '../deadlines.ts'
import { validatorOf } from '../fair-validator.ts'
import type { LoadedRole } from '../roles/load-role.ts'
import { keptSession, loadSession } from '../sessions/load.ts'
import type { SessionGraph } from '../sessions/performing.ts'
import type { SessionWork } from '../sessions/work.ts'
import { changeGraph, spawnerOf } from './change-graph.ts'
import { deliverMail } from './deliver.ts'
import { roleIn } from './frozen.ts'
import { graphGate } from './graph-gate.ts'
import { type LoadedRun, loadRun } from './load.ts'
import { nodeGate } from './node-gate.ts'
import type { WriteOwned } from './owned-runs.ts'
import { settleReply } from './replies.ts'
import type { NodeDesk } from './start-step.ts'
import type { RunParts } from './work.ts'
import { worldOf } from './world.ts'

export interface GraphWork {
  readonly graph: Pick<SessionGraph, 'gate' | 'changes' | 'change' | 'awaits'>
  /** What was sent and asked for, as the run stands. */
  advance(tenant: string, run: LoadedRun): void
}

export interface GraphConductor extends Pick<NodeDesk, 'resumes' | 'calls'> {
  readonly parts: RunParts
  readonly write: WriteOwned
  readonly sessions: () => SessionWork
  readonly deadlines: Deadlines
  begin(tenant: string, runId: string, work: () => Promise<void>): void
}

const ACTOR = 'onbook'

export function graphWork({ parts, write, sessions, deadlines, begin, ...desk }: GraphConductor): GraphWork {
  const { store } = parts
  const roleNamed = (name: string): Promise<LoadedRole> => roleIn(parts.world.roles, name)
  /** By run: the handoffs whose replies are waited for with a clock. */
  const timed = new Map<string, Set<string>>()
  const keyOf = (tenant: string, runId: string, handoff: string): string => JSON.stringify([tenant, runId, handoff])

  async function settle(tenant: string, runId: string, handoff: string): Promise<void> {
    const place = { tenant, runId, actor: ACTOR }
    const written = await write(place, (run, frozen, load) => settleReply(parts, place, desk, handoff, { run, frozen, load }))
    if (written !== null) sessions().begin(tenant, written.answer.session, written.answer.effects)
  }

  async function deliver(tenant: string, runId: string, nodeId: string): Promise<void> {
    const place = { tenant, runId, actor: ACTOR }
    const written = await write(place, (run, frozen, load) => deliverMail(store, tenant, nodeId, { run, frozen, load }))
    if (written !== null) sessions().begin(tenant, written.answer.session, written.answer.effects)
  }

  function watch(tenant: string, runId: string, awaited: LoadedRun['state']['awaited']): void {
    const run = JSON.stringify([tenant, runId])
    const known = timed.get(run) ?? new Set<string>()
    for (const handoff of known) if (!awaited.some(one => one.handoff === handoff)) deadlines.forget(keyOf(tenant, runId, handoff))
    for (const { handoff, until } of awaited)
      if (!known.has(handoff))
        deadlines.set(keyOf(tenant, runId, handoff), until, () => begin(tenant, runId, () => settle(tenant, runId, handoff)))
    if (awaited.length === 0) timed.delete(run)
    else timed.set(run, new Set(awaited.map(({ handoff }) => handoff)))
  }

  return {
    graph: {
      changes: isGraphTool,
      async change(performing, node, change) {
        const effects = await changeGraph({ write, roleNamed, calls: desk.calls }, performing, node, change)
        const { tenant, session } = performing.place
        sessions().begin(tenant, session, effects)
      },
      async awaits(tenant, { runId, nodeId }, call) {
        const { state } = await loadRun(store, tenant, runId)
        return state.awaited.some(one => one.nodeId === nodeId && one.call === call)
      },
      async gate({ tenant, session }, node, call) {
        const { state } = await loadRun(store, tenant, node.runId)
        const frozen = await worldOf(store, tenant, state)
        const gate = nodeGate(frozen, state, node.nodeId)
        if (!isGraphTool(call.name)) return gate
        const { state: of } = await loadSession(store, tenant, session)
        const spawner = of.run === null ? null : spawnerOf({ roleNamed, calls: desk.calls }, frozen, node, of)
        const place = { state, workflow: frozen.workflow, nodeId: node.nodeId }
        const found = await graphGate(validatorOf(parts.validator, tenant), place, spawner, call)
        return { ...gate, ...found, mustAsk: gate.mustAsk || found.mustAsk }
      },
    },
    advance(tenant, { state }) {
      const { runId, awaited, inbox } = state
      if (awaited.length + timed.size > 0) watch(tenant, runId, awaited)
      for (const { handoff, nodeId, reply } of awaited)
        begin(tenant, runId, async () => {
          const { state: of } = await keptSession(store, tenant, nodeOf(state, nodeId).session)
          if (reply !== null || of.run?.phase === 'cancelling') await settle(tenant, runId, handoff)
        })
      for (const to of new Set(inbox.map(one => one.to)))
        if (nodeOf(state, to).status === 'waiting' && state.phase === 'running') begin(tenant, runId, () => deliver(tenant, runId, to))
    },
  }
}
