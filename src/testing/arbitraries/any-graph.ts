// Graphs of every shape, and runs of them in every order: nodes end as luck has it. Knows what may be asked of a run, not what should come of it.
import fc from 'fast-check'
import { digestText, type Json } from '../../core/digest/digest.ts'
import { decideRun, type RunCommand, type StartNode } from '../../core/run/decide.ts'
import { draftRun, emitRun, type RunDraft } from '../../core/run/draft.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { graphOf, nextIn } from '../../core/run/graph/graph.ts'
import { beginRun } from '../../core/run/graph/walk.ts'
import { emptyRun, isBusy, isEnded, type RunState } from '../../core/run/state.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import type { Expected, Moment } from '../oracles/graph-oracle.ts'
import { workflowOf } from '../stories/test-runs.ts'
import { settleStep, startStep } from '../stories/turn-story.ts'

const RULES = ['all_success', 'any_success', 'all_complete', 'all_complete', 'none_failed', 'any_failed', 'any_failed'] as const
const VALUES: readonly Json[] = ['again', 'done', '', 0, { verdict: 'again', score: 2 }, { score: 2, verdict: 'again' }, ['again', 'x']]

const anyCondition = fc.record({
  type: fc.constantFrom('equals', 'notEquals', 'contains', 'truthy', 'falsy'),
  left: fc.constantFrom('output', 'output.verdict', 'output.0', 'status', 'output.missing.deeper'),
  right: fc.constantFrom<Json>('again', 'done', 'completed', 'failed', { score: 2, verdict: 'again' }),
})

const isPossible = (document: Json): boolean => readWorkflow(document).ok

export const anyWorkflow: fc.Arbitrary<Workflow> = fc
  .integer({ min: 1, max: 8 })
  .chain(size => {
    const place = fc.nat(size - 1)
    const condition = fc.option(anyCondition, { nil: undefined, freq: 2 })
    const edge = fc.record({ a: place, b: place, triggerRule: fc.constantFrom(...RULES), condition })
    const back = fc.record({ a: place, b: place, repeats: fc.integer({ min: 1, max: 3 }), condition })
    return fc.record({
      disabled: fc.array(fc.nat(9), { minLength: size, maxLength: size }),
      on: fc.array(edge, { maxLength: 2 * size }),
      back: fc.array(back, { maxLength: 4 }),
    })
  })
  .map(({ disabled, on, back }) => {
    const plain = <T extends { readonly condition?: unknown }>({ condition, ...rest }: T) =>
      condition === undefined ? rest : { ...rest, condition }
    const ends = (a: number, b: number) => ({ from: `n${a}`, to: `n${b}` })
    const nodes = disabled.map((chance, index) => ({ id: `n${index}`, disabled: chance === 0 }))
    const leadOn = on
      .filter(({ a, b }) => a !== b)
      .map(({ a, b, ...rest }) => ({ ...ends(Math.min(a, b), Math.max(a, b)), ...plain(rest) }))
    const document = (edges: readonly object[]): Json => ({ id: 'any', nodes, edges }) as unknown as Json
    // An edge may lead back only to where its source was reached from.
    const leadBack = back
      .map(({ a, b, ...rest }) => ({ ...ends(Math.max(a, b), Math.min(a, b)), ...plain(rest) }))
      .filter(edge => isPossible(document([...leadOn, edge])))
    return workflowOf(document([...leadOn, ...leadBack]))
  })

export const NOTHING = digestText('')

export function created(workflow: Workflow): RunDraft {
  const event: RunEvent = {
    type: 'run.created',
    runId: 'r',
    workflowId: workflow.id,
    version: workflow.version,
    frozen: NOTHING,
    inputs: NOTHING,
    configurable: null,
    metadata: null,
    tags: [],
    mode: 'implementation',
    orchestration: 'auto',
    budget: workflow.budget,
    stallAfter: 0,
    owner: 'me',
  }
  return beginRun(emitRun(draftRun(emptyRun), event), workflow)
}

/** The state of the code, in the terms of the oracle. */
export function found(workflow: Workflow, { state, events }: RunDraft): Expected {
  const having = (is: (status: RunState['nodes'][string]) => boolean) =>
    new Set(Object.entries(state.nodes).flatMap(([id, node]) => (is(node) ? [id] : [])))
  const goesOn = state.phase === 'running' || state.phase === 'paused'
  return {
    start: new Set(goesOn ? nextIn(graphOf(workflow), state).start : []),
    busy: having(isBusy),
    skipped: having(({ status }) => status === 'skipped'),
    followed: events.flatMap(event => (event.type === 'edge.followed' ? [event.edgeId] : [])),
    phase: state.phase === 'paused' ? 'running' : state.phase,
  }
}

/** One step a visit: a node that has mail when it replies ends all the same, and starts once more. */
const CONFIG = { ...emptyConfig, provider: 'p', model: 'm', limits: { ...emptyConfig.limits, maxSteps: 1 } }

export const starting = (nodeId: string): StartNode => ({
  type: 'startNode',
  nodeId,
  session: null,
  home: null,
  config: CONFIG,
  interactive: false,
  snapshot: null,
  apply: 0,
  input: null,
  handoffs: null,
})

/** The reply to the node's step, which asks for nothing: it ends the turn. @param output what the node gives */
export const answering = (nodeId: string, output: Json): RunCommand => ({
  type: 'turn',
  nodeId,
  command: settleStep(1),
  output: { digest: NOTHING, value: output },
})

/** One happening, as a command for the run and as a moment for the oracle. */
interface Happening {
  readonly command: RunCommand
  readonly moment: Moment
}

export function possible({ start, busy, phase }: Expected, failing: number): readonly Happening[] {
  const starts = [...start].map(
    (node): Happening => ({
      command: starting(node),
      moment: { what: 'started', node },
    }),
  )
  const ends = [...busy].flatMap((node): readonly Happening[] => {
    if (phase === 'cancelling')
      return [
        {
          command: answering(node, null),
          moment: { what: 'ended', node, status: 'cancelled', output: null },
        },
      ]
    if (failing < 4)
      return [
        {
          command: { type: 'failNode', nodeId: node, code: 'c', detail: 'd' },
          moment: { what: 'ended', node, status: 'failed', output: null },
        },
      ]
    const output = VALUES[failing % VALUES.length]!
    return [
      {
        command: answering(node, output),
        moment: { what: 'ended', node, status: 'completed', output },
      },
    ]
  })
  const all = [...starts, ...ends]
  return failing === 4 && phase === 'running' ? [...all, { command: { type: 'cancel', reason: null }, moment: { what: 'cancelled' } }] : all
}

export function ruled(draft: RunDraft, workflow: Workflow, command: RunCommand): RunDraft {
  const ruling = decideRun(draft, workflow, command)
  if (!('events' in ruling)) throw new Error(`${command.type}: ${ruling.code}`)
  // A node is at work as long as its first step waits for a reply.
  return command.type === 'startNode' ? ruled(ruling, workflow, { type: 'turn', nodeId: command.nodeId, command: startStep(1) }) : ruling
}

/** A starting node receives its pending handoffs. */
function readMail(draft: RunDraft, nodeId: string): RunDraft {
  const mail = draft.state.inbox.filter(({ to }) => to === nodeId)
  return emitRun(draft, ...mail.map(({ handoff }) => ({ type: 'handoff.delivered' as const, handoff, nodeId })))
}

/** A busy node may write to any reader. */
function sendMail(workflow: Workflow, draft: RunDraft, chance: number): readonly [RunDraft, Moment] | null {
  const { state } = draft
  const [from] = Object.keys(state.nodes).filter(id => isBusy(state.nodes[id]!))
  const readers = workflow.nodes.filter(({ disabled }) => !disabled)
  const reader = readers[chance % readers.length]
  if (from === undefined || reader === undefined || state.phase !== 'running') return null
  const { id: to } = reader
  const handoff = `handoff-${state.handoffs + 1}`
  const sent: RunEvent = {
    type: 'handoff.sent',
    handoff,
    nodeId: from,
    to,
    body: NOTHING,
    expectation: 'none',
    answers: null,
    awaits: null,
  }
  return [emitRun(draft, sent), { what: 'sent', to }]
}

/**
 * @param luck which of what is possible happens, and how it ends; after that, the first
 * @param mail whether nodes write to one another
 */
export function walk(
  workflow: Workflow,
  luck: readonly number[],
  look: (draft: RunDraft, history: readonly Moment[]) => void,
  mail = false,
): RunDraft {
  let draft = created(workflow)
  const history: Moment[] = []
  for (let at = 0; ; at += 1) {
    look(draft, history)
    const chance = luck[at] ?? 5
    const open = possible(found(workflow, draft), chance % 13)
    if (isEnded(draft.state)) return draft
    if (open.length === 0) throw new Error('nothing is left to do, and the run has not ended')
    const sent = mail && at < luck.length && chance % 4 === 0 ? sendMail(workflow, draft, chance) : null
    if (sent !== null) {
      draft = sent[0]
      history.push(sent[1])
      continue
    }
    const { command, moment } = open[Math.floor(chance / 13) % open.length]!
    draft = ruled(draft, workflow, command)
    if (command.type === 'startNode') draft = readMail(draft, command.nodeId)
    history.push(moment)
  }
}

export const anyLuck = fc.array(fc.nat(13 * 97), { maxLength: 60 })
