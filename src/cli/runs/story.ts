// A run's story, as data: what `onbook show --json` prints, and what the page for people is made from. Everything is read from its events.
import type { Digest, Json } from '../../core/digest/digest.ts'
import type { TraceEntry } from '../../core/resolve/resolve.ts'
import type { ForkOf } from '../../core/run/fork.ts'
import {
  bySequence,
  factsOf,
  type RunCall,
  type RunEventOf,
  type RunReading,
  type RunStep,
  type StepChange,
} from '../../core/run/reading/reading.ts'
import type { StallEvidence } from '../../core/run/stall.ts'
import type { Failure } from '../../core/session/events.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { ProviderWait } from '../../wire/onbook/sessions.ts'
import { type Bodies, outputsIn } from './bodies.ts'
import { type Growth, growthIn } from './growth.ts'
import { type ReadRun, type RunStatus, statusOf } from './status.ts'

/** Which template applies to a kind at a node, and every candidate with what became of it. */
export interface Choice extends Pick<RunEventOf<'prompt.traced'>, 'nodeId' | 'kind' | 'slot' | 'resolved'> {
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
  readonly failure: Failure | null
  readonly tokens: number | null
  readonly settled: boolean
  /** Of the repo, by the agent or by its tools, in order. */
  readonly changes: readonly StepChange[]
}

export interface ToolUse extends Pick<RunEventOf<'call.judged'>, 'nodeId' | 'tool' | 'call' | 'verdict'> {
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
    /** The lasting session that it works in; null for none. */
    readonly session: string | null
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

function forkIn({ forkOf }: RunEventOf<'run.created'>): Story['forkOf'] {
  if (forkOf === undefined) return null
  const { names: _, ...rest } = forkOf
  return rest
}

/** @param waiting as the host says it, for a run that it cannot go on with */
export async function storyOf({ state, reading }: ReadRun, bodies: Bodies, waiting: ProviderWait | null = null): Promise<Story> {
  const created = factsOf(reading, 'run.created')[0]!
  const { runId, workflowId, mode, steps, tokens, budget, nodes, approvals, paused, outputs, failure } = state
  const stalled = factsOf(reading, 'run.stalled').at(-1)
  return {
    runId,
    status: waiting === null ? statusOf(state) : 'waiting',
    waiting,
    workflowId,
    version: created.event.version,
    createdAt: created.at,
    createdBy: created.actor,
    changedAt: reading.last.at,
    forkOf: forkIn(created.event),
    mode,
    steps,
    tokens,
    budget,
    nodes: Object.entries(nodes).map(([nodeId, { status, visits, steps, session }]) => ({ nodeId, status, visits, steps, session })),
    edges: await edgesIn(reading, bodies),
    added: await growthIn(reading, bodies),
    prompts: await choicesIn(reading, bodies),
    sent: reading.steps.map(shownStep),
    tools: toolsIn(reading),
    warnings: factsOf(reading, 'log.appended').map(({ event: { type: _, ...logged } }) => logged),
    overrides: await Promise.all(
      factsOf(reading, 'override.given').map(async ({ event: { nodeId, text }, actor, at }) => ({
        nodeId,
        text: text === null ? null : ((await bodies.json<{ readonly text: string }>(text))?.text ?? null),
        by: actor,
        at,
      })),
    ),
    approvals,
    paused: paused === null ? null : { ...paused, evidence: paused.reason === 'stalled' ? (stalled?.event.evidence ?? null) : null },
    outputs: outputs === null ? null : await outputsIn(bodies, outputs),
    error: failure === null ? null : { code: failure.code, message: failure.detail, nodeId: failure.failedNodeId },
  }
}

async function edgesIn({ visits }: RunReading, bodies: Bodies): Promise<Story['edges']> {
  const edges: Story['edges'][number][] = []
  for (const { nodeId, visit, handoffs } of visits) {
    const given = handoffs === null ? null : await bodies.json<readonly { readonly from: string }[]>(handoffs)
    for (const { from } of given ?? []) edges.push({ from, to: nodeId, visit })
  }
  return edges
}

async function choicesIn({ visits }: RunReading, bodies: Bodies): Promise<readonly Choice[]> {
  const choices: Choice[] = []
  for (const { nodeId, kind, slot, resolved, trace } of visits.flatMap(({ traced }) => traced).toSorted(bySequence))
    choices.push({ nodeId, kind, slot, resolved, chain: (await bodies.json<readonly TraceEntry[]>(trace)) ?? [] })
  return choices
}

export function shownStep({ nodeId, visit, step, prompt, request, requestHash, outcome, changes }: RunStep): ToldStep {
  const { full, blocks, templates, mode, sent, segments } = prompt
  const { tools, calls = 'native' } = request
  const { provider, model } = request.parameters
  const { reply, failure, tokens } = outcome ?? { reply: null, failure: null, tokens: null }
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
    reply,
    failure,
    tokens,
    settled: outcome !== null,
    changes,
  }
}

/** One for each verdict, in the order of the verdicts. The newest verdict on a call has its outcome. */
const toolsIn = ({ steps }: RunReading): readonly ToolUse[] =>
  steps
    .flatMap(({ nodeId, calls }) => calls.flatMap(call => usesOf(nodeId, call)))
    .toSorted(bySequence)
    .map(({ sequence: _, ...use }) => use)

const usesOf = (nodeId: string, { id, tool, verdicts, outcome }: RunCall): readonly (ToolUse & { readonly sequence: number })[] =>
  verdicts.map(({ sequence, verdict }, index) => {
    const settled = index === verdicts.length - 1 ? outcome : null
    const failure = settled?.status === 'failed' ? { code: settled.code, detail: settled.detail } : null
    return { sequence, nodeId, tool, call: id, verdict, status: settled?.status ?? null, failure }
  })
