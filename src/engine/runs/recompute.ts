// Every prompt of a run, composed again from what the run froze and recorded, and compared with what was sent. Asks nobody and writes nothing.
import type { Block } from '../../core/compose/parts.ts'
import { BLOCKS } from '../../core/compose/parts.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { reduceRun } from '../../core/run/reduce.ts'
import { emptyRun, nodeOf, type RunState } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { toolsIn } from '../sessions/model-call.ts'
import { composeStep } from './compose-step.ts'
import { protocolOf } from './step-tools.ts'
import { worldOf } from './world.ts'

export interface RecomputedPrompt {
  readonly sequence: number
  readonly nodeId: string
  /** Which time the node was at work; steps are counted anew each time. */
  readonly visit: number
  readonly step: number
  /** The name of what was sent. */
  readonly recorded: Digest
  /** Null when nothing can be composed any more. */
  readonly found: Digest | null
  /** The first block that differs. */
  readonly block: Block | null
}

export interface Recomputed {
  readonly events: number
  /** Whether all are what they were. */
  readonly identical: boolean
  readonly prompts: readonly RecomputedPrompt[]
  readonly state: RunState
}

type StepStarted = Extract<RunEvent, { readonly type: 'step.started' }>

export async function recomputePrompts(store: Store, tenant: string, runId: string): Promise<Recomputed> {
  const prompts: RecomputedPrompt[] = []
  let state = emptyRun
  let events = 0
  let [createdAt, createdBy] = ['', '']
  for await (const { event: recorded } of store.read(tenant, runStream(runId), -1)) {
    const event = runEvent(recorded)
    if (recorded.seq === 0) [createdAt, createdBy] = [recorded.at, recorded.actor]
    // As it was the moment before: nothing later may have a say.
    if (event.type === 'step.started') {
      const run = { state, seq: recorded.seq - 1, createdAt, createdBy }
      prompts.push(await again(store, tenant, run, event))
    }
    state = reduceRun(state, event)
    events += 1
  }
  if (events === 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return { events, identical: prompts.every(({ recorded, found }) => recorded === found), prompts, state }
}

async function again(
  store: Store,
  tenant: string,
  run: Parameters<typeof composeStep>[0]['run'],
  { nodeId, step, prompt, request }: StepStarted,
): Promise<RecomputedPrompt> {
  const frozen = await worldOf(store, tenant, run.state)
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const { calls = 'native', tools } = request
  const shown = calls === 'native' ? [] : (await toolsIn(digest => store.object(tenant, digest), tools ?? [])).tools
  const protocol = protocolOf(calls, shown)
  // Neither has a say in the five blocks: they decide how much of them is sent.
  const composed = await composeStep({ store, tenant, run, frozen, node, protocol, prelude: [], resumes: false })
  const made = composed.ok ? composed.prompt : null
  return {
    sequence: run.seq + 1,
    nodeId,
    visit: nodeOf(run.state, nodeId).visits,
    step,
    recorded: prompt.full,
    found: made?.full ?? null,
    block: BLOCKS.find(block => made?.blocks[block] !== prompt.blocks[block]) ?? null,
  }
}
