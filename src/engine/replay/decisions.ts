// Level 2 of a replay: every decision of a run that the record holds the inputs of, taken again and compared. Goes on after a divergence.

import { BLOCKS, type Block } from '../../core/compose/parts.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { CONDITIONS, type Verdict } from '../../core/gate/authorize.ts'
import type { RecordedEvent } from '../../core/record/event.ts'
import { compareFields, comparePrompts, compareRequests } from '../../core/replay/compare-step.ts'
import { compareTold, isTold, type ToldEvent } from '../../core/replay/compare-told.ts'
import type { Point } from '../../core/replay/divergence.ts'
import { isTwin, type RunTwin, twinFields, twinType } from '../../core/replay/twins.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import { toldHash } from '../../core/run/reduce.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { Store } from '../../ports.ts'
import type { LoadedRun } from '../runs/load.ts'
import { worldOf } from '../runs/world.ts'
import { ALWAYS_BELIEVED, BELIEVED_CONDITIONS } from './believed.ts'
import type { Gaps } from './gaps.ts'
import { policiesAt } from './policies.ts'
import type { Diverged } from './read-chained.ts'
import { isMade, type LetThrough, remakeGraph } from './remake-graph.ts'
import { outputHash, remakeReply } from './remake-reply.ts'
import { type RemadeStep, remakeStep, type StepStarted } from './remake-step.ts'
import { remakeVerdict } from './remake-verdict.ts'
import { remakeWalk } from './remake-walk.ts'
import type { Replayed } from './replay.ts'
import type { MetEvent, SessionCursor } from './session-cursor.ts'
import { textsOf } from './texts-of.ts'

export interface ReplayedPrompt {
  readonly sequence: number
  readonly nodeId: string
  /** Which time the node was at work; steps are counted anew each time. */
  readonly visit: number
  readonly step: number
  readonly recorded: Digest
  /** Null when it cannot be composed any more. */
  readonly found: Digest | null
  /** The first that differs. */
  readonly block: Block | null
}

export interface Decisions {
  /** @param run as it was before the event */
  meet(run: LoadedRun, recorded: RecordedEvent, event: RunEvent): Promise<void>
  counts(): Pick<Replayed, 'prompts' | 'verdicts' | 'believed'>
}

interface Desk {
  readonly store: Store
  readonly tenant: string
  readonly diverged: Diverged
  readonly gaps: Gaps
  readonly cursorOf: (session: string) => SessionCursor
  readonly onPrompt: (prompt: ReplayedPrompt) => void
}

/** What is kept of a node from one event to the next. */
interface Kept {
  /** Of its present visit. */
  readonly told: readonly { readonly sequence: number; readonly event: ToldEvent }[]
  /** What was made again and named for differing: once is enough. */
  readonly named: readonly Digest[]
  /** Its last step. */
  readonly since: number
  readonly request: StepRequest | null
  readonly said: string | null
}

const NOTHING: Kept = { told: [], named: [], since: 0, request: null, said: null }

export function decisions({ store, tenant, diverged, gaps, cursorOf, onPrompt }: Desk): Decisions {
  const nodes = new Map<string, Kept>()
  const keptOf = (nodeId: string): Kept => nodes.get(nodeId) ?? NOTHING
  const keep = (nodeId: string, change: Partial<Kept>): void => void nodes.set(nodeId, { ...keptOf(nodeId), ...change })
  const policiesThen = policiesAt(store)
  let [prompts, verdicts, knowing] = [0, 0, 0]
  let through: LetThrough | null = null

  async function meetTwin(run: LoadedRun, sequence: number, event: RunTwin): Promise<MetEvent | null> {
    const { runId } = run.state
    const { session } = nodeOf(run.state, event.nodeId)
    const met = await cursorOf(session).next(twinType(event), { runId, nodeId: event.nodeId })
    const where = { sequence, point: 'told', ...placeOf(event) } as const
    if (met === null) diverged({ ...where, expected: event.type, found: null })
    else for (const one of compareFields(where, twinFields(event, event), twinFields(event, met.event))) diverged(one)
    return met
  }

  async function again(run: LoadedRun, { seq: sequence, at }: RecordedEvent, event: RunEvent, met: MetEvent | null): Promise<void> {
    const session = met?.before ?? null
    const where = <P extends Point>(point: P) => ({ sequence, point, ...placeOf(event) })
    const walked = await remakeWalk(store, tenant, run.state, event, session)
    if (walked !== null) for (const one of compareFields(where(event.type), walked.recorded, walked.found)) diverged(one)
    if (isMade(event)) {
      const { recorded, found } = await remakeGraph(store, tenant, event, through)
      for (const one of compareFields(where(event.type), recorded, found)) diverged(one)
    }
    switch (event.type) {
      case 'step.started': {
        prompts += 1
        if (session?.run == null) return
        const frozen = await worldOf(store, tenant, run.state)
        const node = frozen.workflow.nodes.find(({ id }) => id === event.nodeId)
        if (node === undefined) return diverged({ ...where('step.started'), expected: event.nodeId, found: null })
        const remade = await remakeStep({ store, tenant, run, frozen, node, event, session })
        await compare(run, sequence, event, remade)
        if (met?.event.type !== 'step.started' || remade.made?.ok !== true) return
        const { toolSource } = met.event
        for (const one of compareFields(where('told'), { toolSource }, { toolSource: remade.made.toolSource })) diverged(one)
        return
      }
      case 'step.settled': {
        const { request } = keptOf(event.nodeId)
        if (request === null || event.reply === null) return
        const { told, said } = await remakeReply(store, tenant, request, event)
        keep(event.nodeId, { said })
        const { replyHash, tokens, conversation } = event
        const recorded = { replyHash, tokens, ...(conversation === undefined ? {} : { conversation }) }
        for (const one of compareFields(where('step.settled'), recorded, told)) diverged(one)
        return
      }
      case 'tool.judged': {
        verdicts += 1
        if (session === null) return
        const frozen = await worldOf(store, tenant, run.state)
        const { nodeId, call, verdict } = event
        if (!frozen.workflow.nodes.some(({ id }) => id === nodeId))
          return diverged({ ...where('tool.judged'), expected: nodeId, found: null })
        const policies = await policiesThen(at)
        if (policies.length > 0) knowing += 1
        const made = await remakeVerdict({ store, tenant, state: run.state, frozen, nodeId, session, call, verdict, policies })
        if (made === null) return diverged({ ...where('tool.judged'), field: 'call', expected: call, found: null })
        for (const one of compareFields(where('tool.judged'), conditionsOf(verdict), conditionsOf(made))) diverged(one)
        return
      }
      case 'node.completed': {
        const { said } = keptOf(event.nodeId)
        const found = said === null ? event.output : outputHash(said)
        if (found !== event.output) diverged({ ...where('node.completed'), field: 'output', expected: event.output, found })
      }
    }
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
      if (event.type === 'step.started') keep(event.nodeId, { request: event.request })
      await gaps.look(place, event.type, payload)
      const met = isTwin(event) ? await meetTwin(run, sequence, event) : null
      if (event.type === 'tool.judged')
        through = met === null ? null : { state: run.state, nodeId: event.nodeId, call: event.call, session: met.before }
      const made = await gaps.around(place, event.type, () => again(run, recorded, event, met))
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
