// A run's story, as data: what `onbook show --json` prints, and what the page for people is made from. Everything is read from its events.
import type { Digest, Json } from '../../core/digest/digest.ts'
import type { TraceEntry } from '../../core/resolve/resolve.ts'
import { type RunEvent, runEvent } from '../../core/run/events.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import type { ForkOf } from '../../core/run/fork.ts'
import type { StallEvidence } from '../../core/run/stall.ts'
import type { Failure } from '../../core/session/events.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { ProviderWait } from '../../wire/onbook/sessions.ts'
import { type Bodies, outputsIn } from './bodies.ts'
import type { StepChange } from './changes-page.ts'
import { type Growth, growthIn } from './growth.ts'
import { type ReadRun, type RunStatus, statusOf } from './standing.ts'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

/** Which template applies to a kind at a node, and every candidate with what became of it. */
export interface Choice extends Pick<Of<'prompt.traced'>, 'nodeId' | 'kind' | 'slot' | 'resolved'> {
  readonly chain: readonly TraceEntry[]
}

/** One step: what was sent, and what came of it. */
export interface ToldStep {
  readonly nodeId: string
  /** Which time the node was at work: steps are counted anew each time. */
  readonly visit: number
  readonly step: number
  readonly promptHash: Digest
  /** What `requestHash` is the hash of: the messages that went along are named here. */
  readonly request: StepRequest
  readonly requestHash: Digest
  readonly mode: PromptRecord['mode']
  readonly blocks: PromptRecord['blocks']
  readonly templates: PromptRecord['templates']
  readonly sent: PromptRecord['sent']
  readonly segments: Digest
  readonly provider: string
  readonly model: string
  /** How it calls tools, and which it is shown. */
  readonly calls: Calling
  readonly tools: readonly Digest[] | null
  readonly reply: Digest | null
  readonly failure: Of<'step.settled'>['failure']
  readonly tokens: number | null
  readonly settled: boolean
  /** Of the repo, by the agent or by its tools, in order. */
  readonly changes: readonly StepChange[]
}

export interface ToolUse extends Pick<Of<'tool.judged'>, 'nodeId' | 'tool' | 'call' | 'verdict'> {
  /** Null while it is under way, and when it was not allowed. */
  readonly status: string | null
  /** Why it failed. */
  readonly failure: Failure | null
}

export interface Story {
  readonly runId: string
  /** `waiting`: for a provider that lacks something on the host. */
  readonly status: RunStatus | 'waiting'
  readonly waiting: ProviderWait | null
  readonly workflowId: string
  readonly version: string
  readonly createdAt: string
  readonly createdBy: string
  readonly changedAt: string
  /** Null of a run that is nobody's fork. */
  readonly forkOf: Omit<ForkOf, 'names'> | null
  readonly mode: string
  readonly steps: number
  readonly tokens: number
  readonly budget: ReadRun['state']['budget']
  readonly nodes: readonly {
    readonly nodeId: string
    readonly status: string
    readonly visits: number
    readonly steps: number
    readonly session: string
  }[]
  /** In the order in which they were taken. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly visit: number }[]
  /** By agents, to the graph. */
  readonly added: Growth
  readonly prompts: readonly Choice[]
  readonly sent: readonly ToldStep[]
  readonly tools: readonly ToolUse[]
  readonly warnings: readonly { readonly nodeId: string; readonly level: string; readonly code: string; readonly message: string }[]
  readonly overrides: readonly { readonly nodeId: string | null; readonly text: string | null; readonly by: string; readonly at: string }[]
  readonly approvals: ReadRun['state']['approvals']
  readonly paused: { readonly reason: string; readonly nodeId: string | null; readonly evidence: StallEvidence | null } | null
  readonly outputs: Readonly<Record<string, Json>> | null
  readonly error: { readonly code: string; readonly message: string; readonly nodeId: string | null } | null
}

function forkIn({ forkOf }: Of<'run.created'>): Story['forkOf'] {
  if (forkOf === undefined) return null
  const { names: _, ...rest } = forkOf
  return rest
}

/** @param waiting as the host says it, for a run that it cannot go on with */
export async function storyOf({ state, events }: ReadRun, bodies: Bodies, waiting: ProviderWait | null = null): Promise<Story> {
  const told = events.map(({ type, payload, ...rest }) => ({ ...rest, event: runEvent({ type, payload: payload as unknown as Json }) }))
  const all = told.map(({ event }) => event)
  const created = all[0] as Of<'run.created'>
  const { runId, workflowId, mode, steps, tokens, budget, nodes, approvals, paused, outputs, failure } = state
  const stalled = of(all, 'run.stalled').at(-1)
  return {
    runId,
    status: waiting === null ? statusOf(state) : 'waiting',
    waiting,
    workflowId,
    version: created.version,
    createdAt: events[0]!.at,
    createdBy: events[0]!.actor,
    changedAt: events.at(-1)!.at,
    forkOf: forkIn(created),
    mode,
    steps,
    tokens,
    budget,
    nodes: Object.entries(nodes).map(([nodeId, { status, visits, steps, session }]) => ({ nodeId, status, visits, steps, session })),
    edges: await edgesIn(all, bodies),
    added: await growthIn(all, bodies),
    prompts: await choicesIn(all, bodies),
    sent: stepsIn(all),
    tools: toolsIn(all),
    warnings: of(all, 'log.appended').map(({ type: _, ...logged }) => logged),
    overrides: await Promise.all(
      told.flatMap(({ event, actor, at }) =>
        event.type === 'override.given' ? [overrideIn(event, bodies).then(given => ({ ...given, by: actor, at }))] : [],
      ),
    ),
    approvals,
    paused: paused === null ? null : { ...paused, evidence: paused.reason === 'stalled' ? (stalled?.evidence ?? null) : null },
    outputs: outputs === null ? null : await outputsIn(bodies, outputs),
    error: failure === null ? null : { code: failure.code, message: failure.detail, nodeId: failure.failedNodeId },
  }
}

const of = <T extends RunEvent['type']>(events: readonly RunEvent[], type: T): readonly Of<T>[] =>
  events.filter((event): event is Of<T> => event.type === type)

async function overrideIn({ nodeId, text }: Of<'override.given'>, bodies: Bodies) {
  return { nodeId, text: text === null ? null : ((await bodies.json<{ readonly text: string }>(text))?.text ?? null) }
}

async function edgesIn(events: readonly RunEvent[], bodies: Bodies): Promise<Story['edges']> {
  const edges: Story['edges'][number][] = []
  for (const { nodeId, visit, handoffs } of of(events, 'node.started')) {
    const given = handoffs === null ? null : await bodies.json<readonly { readonly from: string }[]>(handoffs)
    for (const { from } of given ?? []) edges.push({ from, to: nodeId, visit })
  }
  return edges
}

async function choicesIn(events: readonly RunEvent[], bodies: Bodies): Promise<readonly Choice[]> {
  const choices: Choice[] = []
  for (const { nodeId, kind, slot, resolved, trace } of of(events, 'prompt.traced'))
    choices.push({ nodeId, kind, slot, resolved, chain: (await bodies.json<readonly TraceEntry[]>(trace)) ?? [] })
  return choices
}

export function stepsIn(events: readonly RunEvent[]): readonly ToldStep[] {
  const visits = new Map<string, number>()
  const steps: ToldStep[] = []
  for (const event of events) {
    if (event.type === 'node.started') visits.set(event.nodeId, event.visit)
    if (event.type === 'step.started') steps.push(begun(event, visits.get(event.nodeId) ?? 1))
    if (event.type === 'step.settled') {
      const index = steps.findLastIndex(({ nodeId }) => nodeId === event.nodeId)
      const { reply, failure, tokens } = event
      steps[index] = { ...steps[index]!, reply, failure, tokens, settled: true }
    }
    if (event.type === 'files.changed') {
      const index = steps.findLastIndex(({ nodeId }) => nodeId === event.nodeId)
      const { type: _type, nodeId: _nodeId, step: _step, ...change } = event
      if (index >= 0) steps[index] = { ...steps[index]!, changes: [...steps[index]!.changes, change] }
    }
  }
  return steps
}

function begun({ nodeId, step, prompt, request, requestHash }: Of<'step.started'>, visit: number): ToldStep {
  const { full, blocks, templates, mode, sent, segments } = prompt
  const { tools, calls = 'native' } = request
  const { provider, model } = request.parameters
  const open = { reply: null, failure: null, tokens: null, settled: false, changes: [] }
  return {
    nodeId,
    visit,
    step,
    promptHash: full,
    request,
    requestHash,
    mode,
    blocks,
    templates,
    sent,
    segments,
    provider,
    model,
    calls,
    tools,
    ...open,
  }
}

function toolsIn(events: readonly RunEvent[]): readonly ToolUse[] {
  const uses: ToolUse[] = []
  for (const event of events) {
    if (event.type === 'tool.judged') {
      const { nodeId, tool, call, verdict } = event
      uses.push({ nodeId, tool, call, verdict, status: null, failure: null })
    }
    if (event.type === 'tool.settled') {
      const index = uses.findLastIndex(({ nodeId, call }) => nodeId === event.nodeId && call === event.call)
      const failure = event.status === 'failed' ? { code: event.code, detail: event.detail } : null
      if (index >= 0) uses[index] = { ...uses[index]!, status: event.status, failure }
    }
  }
  return uses
}
