// Level 2 of a replay: repeats every decision whose inputs are on record, and compares the results. Goes on after a divergence.

import { BLOCKS, type Block } from '../../core/compose/parts.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { CONDITIONS, type Verdict } from '../../core/gate/authorize.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { compareFields, comparePrompts, compareRequests } from '../../core/replay/compare-step.ts'
import { compareTold, isTold, type ToldEvent } from '../../core/replay/compare-told.ts'
import type { Point } from '../../core/replay/divergence.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { toldHash } from '../../core/run/reduce.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { PromptRecord, StepStarted, ToolCall } from '../../core/turn/events.ts'
import { type Materialized, materializeStep } from '../../core/turn/materialize.ts'
import type { Turn } from '../../core/turn/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import type { LoadedRun } from '../runs/load.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import { worldOf } from '../runs/start/world.ts'
import { isDirect } from '../turns/task.ts'
import { ALWAYS_BELIEVED, BELIEVED_CONDITIONS } from './believed.ts'
import type { Gaps } from './gaps.ts'
import { policiesAt } from './policies.ts'
import type { Diverged } from './read-chained.ts'
import { isMade, type LetThrough, remakeGraph } from './remake-graph.ts'
import { remakeReply } from './remake-reply.ts'
import { type RemadeStep, remakeStep } from './remake-step.ts'
import { remakeVerdict } from './remake-verdict.ts'
import { remakeWalk } from './remake-walk.ts'
import type { Replayed } from './replay.ts'
import { textsOf } from './texts-of.ts'

export interface ReplayedPrompt {
  readonly sequence: number
  readonly nodeId: string
  /** The number of the node's visit; each visit counts its steps from the start. */
  readonly visit: number
  readonly step: number
  readonly recorded: Digest
  /** Null when it cannot be composed any more. */
  readonly found: Digest | null
  /** The first that differs. */
  readonly block: Block | null
}

export interface Decisions {
  /** @param run the state before the event */
  meet(run: LoadedRun, recorded: RecordedEvent, event: RunEvent): Promise<void>
  counts(): Pick<Replayed, 'prompts' | 'verdicts' | 'believed'>
}

interface Desk {
  readonly store: Store
  readonly tenant: string
  readonly diverged: Diverged
  readonly gaps: Gaps
  readonly onPrompt: (prompt: ReplayedPrompt) => void
}

/** State of one node, carried from event to event. */
interface Kept {
  /** The prompt events of its current visit. */
  readonly told: readonly { readonly sequence: number; readonly event: ToldEvent }[]
  /** Digests that were remade and already reported as different: one report is enough. */
  readonly named: readonly Digest[]
  /** Its last step. */
  readonly since: number
  /** Results of its last reply; null before the first. */
  readonly calls: readonly ToolCall[] | null
  readonly output: Digest | null
}

const NOTHING: Kept = { told: [], named: [], since: 0, calls: null, output: null }

export function decisions({ store, tenant, diverged, gaps, onPrompt }: Desk): Decisions {
  const nodes = new Map<string, Kept>()
  const keptOf = (nodeId: string): Kept => nodes.get(nodeId) ?? NOTHING
  const keep = (nodeId: string, change: Partial<Kept>): void => void nodes.set(nodeId, { ...keptOf(nodeId), ...change })
  const policiesThen = policiesAt(store)
  let [prompts, verdicts, knowing] = [0, 0, 0]
  let through: LetThrough | null = null

  async function again(run: LoadedRun, { seq: sequence, at }: RecordedEvent, event: RunEvent): Promise<void> {
    const { state } = run
    const turn = 'nodeId' in event && event.nodeId !== null ? nodeOf(state, event.nodeId).turn : null
    const where = <P extends Point>(point: P) => ({ sequence, point, ...placeOf(event) })
    const same = (point: Point, recorded: object, found: object): void => {
      for (const one of compareFields(where(point), recorded, found)) diverged(one)
    }
    const walked = await remakeWalk(store, tenant, state, event)
    if (walked !== null) same(event.type, walked.recorded, walked.found)
    if (isMade(event)) {
      const { recorded, found } = await remakeGraph(store, tenant, event, through)
      same(event.type, recorded, found)
    }
    switch (event.type) {
      case 'step.started':
        return stepAgain(run, sequence, event, turn)
      case 'step.settled': {
        const request = turn?.step?.request
        if (request === undefined || event.reply === null) return
        const { told, calls, output } = await remakeReply(store, tenant, request, event)
        keep(event.nodeId, { calls, output })
        const { replyHash, tokens, conversation } = event
        return same('step.settled', { replyHash, tokens, ...(conversation === undefined ? {} : { conversation }) }, told)
      }
      case 'calls.asked': {
        const { calls } = keptOf(event.nodeId)
        return calls === null ? undefined : same('calls.asked', { calls: event.calls }, { calls })
      }
      case 'call.judged': {
        verdicts += 1
        if (turn === null) return
        const frozen = await worldOf(store, tenant, state)
        const { nodeId, call, verdict } = event
        if (!frozen.workflow.nodes.some(({ id }) => id === nodeId))
          return diverged({ ...where('call.judged'), expected: nodeId, found: null })
        const policies = await policiesThen(at)
        if (policies.length > 0) knowing += 1
        const made = await remakeVerdict({ store, tenant, at: { state, frozen, turn }, nodeId, call, verdict, policies })
        if (made === null) return diverged({ ...where('call.judged'), field: 'call', expected: call, found: null })
        return same('call.judged', conditionsOf(verdict), conditionsOf(made))
      }
      case 'node.completed': {
        const { output } = keptOf(event.nodeId)
        if (output !== null && output !== event.output)
          diverged({ ...where('node.completed'), field: 'output', expected: event.output, found: output })
      }
    }
  }

  async function stepAgain(run: LoadedRun, sequence: number, event: StepStarted, turn: Turn | null): Promise<void> {
    prompts += 1
    if (turn === null) return
    const at = { sequence, nodeId: event.nodeId, step: event.step }
    const frozen = await worldOf(store, tenant, run.state)
    const node = frozen.workflow.nodes.find(({ id }) => id === event.nodeId)
    if (node === undefined) return diverged({ ...at, point: 'step.started', expected: event.nodeId, found: null })
    // A snapshot that reached the turn with this step is on record with it.
    const then = { ...turn, snapshot: event.apply === undefined ? turn.snapshot : event.snapshot }
    const made = isDirect(node) ? await directAgain(at, event, then) : await composedAgain(run, sequence, event, frozen, node, then)
    if (made?.ok !== true) return
    const { source, toolSource } = event
    const found = { source: made.source, toolSource: made.toolSource, snapshot: then.snapshot }
    for (const one of compareFields({ ...at, point: 'step.started' }, { source, toolSource, snapshot: event.snapshot }, found))
      diverged(one)
  }

  async function composedAgain(
    run: LoadedRun,
    sequence: number,
    event: StepStarted,
    frozen: LoadedFrozen,
    node: WorkflowNode,
    turn: Turn,
  ): Promise<Materialized | null> {
    const remade = await remakeStep({ store, tenant, run, frozen, node, event, turn })
    await compare(run, sequence, event, remade)
    return remade.made
  }

  /** The request of a session run: its prelude, its history and its tools. */
  async function directAgain(
    at: { sequence: number; nodeId: string; step: number },
    event: StepStarted,
    turn: Turn,
  ): Promise<Materialized> {
    const { config, snapshot, history } = turn
    const [hostCatalog = null] = event.toolSource === 'host' ? (event.request.tools ?? []) : []
    const made = materializeStep({ config, snapshot, history, hostCatalog })
    onPrompt({
      sequence: at.sequence,
      nodeId: at.nodeId,
      visit: 1,
      step: at.step,
      recorded: event.prompt.full,
      found: event.prompt.full,
      block: null,
    })
    if (made.ok)
      for (const one of compareRequests(at, event, { request: made.request, requestHash: made.requestDigest }, false)) diverged(one)
    else diverged({ ...at, point: 'step.started', field: 'requestHash', expected: event.requestHash, found: made.code })
    return made
  }

  async function compare(run: LoadedRun, sequence: number, event: StepStarted, { composed, made }: RemadeStep): Promise<void> {
    const { nodeId, step, prompt } = event
    const at = { sequence, nodeId, step }
    const { told, named, since } = keptOf(nodeId)
    const found = composed.ok ? composed.prompt : null
    onPrompt(promptOf(run, sequence, event, found))
    const text = await textsOf(store, tenant, composed.texts, { told: told.map(one => one.event), prompt })
    const onRecord = { hashes: [...nodeOf(run.state, nodeId).told, ...named], since, events: told }
    const tellings = composed.events.filter(isTold)
    const differing = compareTold(at, onRecord, tellings, found?.templates ?? [], text)
    for (const one of differing) diverged(one)
    keep(nodeId, { since: sequence, ...(differing.length === 0 ? {} : { named: [...named, ...tellings.map(toldHash)] }) })
    if (!composed.ok) {
      const { code, detail } = composed
      return diverged({ ...at, point: 'prompt.composed', field: 'promptHash', expected: prompt.full, found: `${code}: ${detail}` })
    }
    const prompted = comparePrompts(at, prompt, composed.prompt, text)
    for (const one of prompted) diverged(one)
    if (made?.ok !== true)
      return diverged({ ...at, point: 'step.started', field: 'requestHash', expected: event.requestHash, found: made?.code ?? null })
    const remade = { request: made.request, requestHash: made.requestDigest }
    for (const one of compareRequests(at, event, remade, prompted.length > 0)) diverged(one)
  }

  return {
    async meet(run, recorded, event) {
      const { seq: sequence, payload } = recorded
      const place = { sequence, ...placeOf(event) }
      if (event.type === 'node.started') nodes.delete(event.nodeId)
      if (isTold(event)) keep(event.nodeId, { told: [...keptOf(event.nodeId).told, { sequence, event }] })
      if (event.type === 'step.started') keep(event.nodeId, { calls: null, output: null })
      await gaps.look(place, event.type, payload)
      if (event.type === 'call.judged') {
        const { turn } = nodeOf(run.state, event.nodeId)
        through = turn === null ? null : { state: run.state, nodeId: event.nodeId, call: event.call, turn }
      }
      const made = await gaps.around(place, event.type, () => again(run, recorded, event))
      if (!made && event.type === 'step.started' && isObject(event.prompt as unknown as Json))
        onPrompt(promptOf(run, sequence, event, null))
    },
    counts: () => ({
      prompts,
      verdicts,
      believed: [
        ...ALWAYS_BELIEVED,
        ...CONDITIONS.filter(one => verdicts > 0 && one in BELIEVED_CONDITIONS && (one !== 'granted' || knowing < verdicts)),
      ],
    }),
  }
}

export function promptOf(
  { state }: Pick<LoadedRun, 'state'>,
  sequence: number,
  { nodeId, step, prompt }: StepStarted,
  found: PromptRecord | null,
): ReplayedPrompt {
  const block = BLOCKS.find(one => found?.blocks[one] !== prompt.blocks?.[one]) ?? null
  return { sequence, nodeId, visit: nodeOf(state, nodeId).visits, step, recorded: prompt.full, found: found?.full ?? null, block }
}

const placeOf = (event: RunEvent): { readonly nodeId?: string; readonly step?: number } => ({
  ...('nodeId' in event && typeof event.nodeId === 'string' ? { nodeId: event.nodeId } : {}),
  ...('step' in event && typeof event.step === 'number' ? { step: event.step } : {}),
})

const conditionsOf = ({ decision, conditions }: Verdict): object => ({
  decision,
  ...Object.fromEntries(conditions.map(({ condition, outcome, reason }) => [condition, `${outcome}: ${reason}`])),
})
