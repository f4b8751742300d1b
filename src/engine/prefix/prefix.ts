// Folder: Answers which part of a prompt stays the same between steps, from events and objects alone. It writes nothing.
// Measures the stable prefix of a run: how much of each request repeats the one before, what broke the prefix, and what that costs.
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import { observable, writeMessage } from '../../core/messages/message.ts'
import { readAnswer, type Usage } from '../../core/messages/receipt.ts'
import {
  type BrokenSpan,
  brokenSpan,
  bytesOf,
  commonBytes,
  decidedBy,
  keptOf,
  type SentPart,
  type SentPiece,
} from '../../core/prefix/prefix.ts'
import { type Breaker, type ComparedStep, lostTokens, type PrefixSummary, summaryOf } from '../../core/prefix/summary.ts'
import type { RunStep } from '../../core/run/reading/reading.ts'
import { readSegments } from '../../core/run/reading/stored-segments.ts'
import type { Store } from '../../ports.ts'
import { answerFor } from '../reading/malformed.ts'
import { nodeNotFound } from '../reading/node-not-found.ts'
import { loadReading } from '../runs/read-run.ts'
import { messageDigests, messagesIn, toolsIn } from '../turns/model-call.ts'

export interface PrefixStep extends Partial<ComparedStep> {
  readonly visit: number
  readonly step: number
  readonly sequence: number
  /** The size of the whole request. */
  readonly bytes: number
  /** The provider resumed its conversation and got only the rest: nothing is compared. */
  readonly resumed: boolean
  /** As the provider tells them. */
  readonly inputTokens: number | null
  readonly cachedTokens: number | null
}

/** Steps that one node sends to one model, one after the other. */
export interface PrefixAnswer {
  readonly runId: string
  readonly nodeId: string
  /** The lasting session that the node works in; null for none. */
  readonly session: string | null
  readonly provider: string
  readonly model: string
  readonly steps: readonly PrefixStep[]
  readonly summary: PrefixSummary
}

interface PrefixQuestion {
  readonly nodeId?: string | undefined
  /** Waited for before every step: there may be many, and others want to be served too. */
  readonly pause?: () => Promise<void>
}

export const prefixOfRun = (
  store: Store,
  tenant: string,
  runId: string,
  { nodeId, pause = async () => {} }: PrefixQuestion = {},
): Promise<readonly PrefixAnswer[]> =>
  answerFor(runId, async () => {
    const chains = await sentChains(store, tenant, runId, nodeId)
    const answers: PrefixAnswer[] = []
    for (const chain of chains) answers.push(await prefixOf(store, tenant, runId, chain, pause))
    return answers
  })

async function prefixOf(
  store: Store,
  tenant: string,
  runId: string,
  chain: readonly RunStep[],
  pause: () => Promise<void>,
): Promise<PrefixAnswer> {
  const { nodeId, session, request } = chain[0]!
  const read = reader(store, tenant)
  const steps: PrefixStep[] = []
  let before: Sent | null = null
  for (const step of chain) {
    await pause()
    const pieces = await read.pieces(step)
    const usage = await read.usage(step.outcome?.receipt ?? null)
    const resumed = step.prompt.sent.kind === 'delta'
    const compared = before === null || resumed ? {} : await read.compare(before, { step, pieces, usage })
    steps.push({
      visit: step.visit,
      step: step.step,
      sequence: step.sequence,
      bytes: bytesOf(pieces),
      resumed,
      inputTokens: usage?.prompt ?? null,
      cachedTokens: usage?.cached ?? null,
      ...compared,
    })
    before = { step, pieces, usage }
  }
  const { provider, model } = request.parameters
  return { runId, nodeId, session, provider, model, steps, summary: summaryOf(steps.filter(isCompared)) }
}

const isCompared = (step: PrefixStep): step is PrefixStep & ComparedStep => step.previous !== undefined

interface Sent {
  readonly step: RunStep
  readonly pieces: readonly SentPiece[]
  readonly usage: Usage | null
}

function reader(store: Store, tenant: string) {
  /** By name: a long history is sent again and again. */
  const sizes = new Map<Digest, number>()
  const messageText = async (digest: Digest): Promise<string> =>
    (await messagesIn(store, tenant, digest)).map(message => writeMessage(observable(message))).join('')
  const measure = async (digest: Digest): Promise<number> => {
    const bytes = Buffer.byteLength(await messageText(digest))
    sizes.set(digest, bytes)
    return bytes
  }

  async function pieces({ request }: RunStep): Promise<readonly SentPiece[]> {
    const { tools } = await toolsIn(digest => store.object(tenant, digest), request.tools ?? [])
    const shown = tools.map((tool): SentPiece => {
      const text = canonicalJson(tool as unknown as Json)
      return { part: 'tools', name: tool.name, digest: digestText(text), bytes: Buffer.byteLength(text) }
    })
    const { system, prelude, user } = request
    const digests = await messageDigests(store, tenant, request)
    const first = system === null ? 0 : 1
    const partAt = (index: number): SentPart => {
      if (index < first) return 'system'
      if (index < first + prelude.length) return 'prelude'
      return user !== null && index === digests.length - 1 ? 'user' : 'history'
    }
    // A provider that calls by line reads its tools in the system message.
    const sent = request.calls === undefined ? [...shown] : []
    for (const [index, digest] of digests.entries())
      sent.push({ part: partAt(index), name: null, digest, bytes: sizes.get(digest) ?? (await measure(digest)) })
    return sent
  }

  async function usage(receipt: Digest | null): Promise<Usage | null> {
    if (receipt === null) return null
    const answer = readAnswer(JSON.parse(new TextDecoder().decode(await store.object(tenant, receipt))) as Json)
    return answer?.usage ?? null
  }

  async function compare(before: Sent, after: Sent): Promise<ComparedStep> {
    const previous = bytesOf(before.pieces)
    const { bytes, broken } = keptOf(before.pieces, after.pieces)
    if (broken === null) return { previous, kept: bytes, broken: null, lost: { tokens: 0, estimated: false } }
    const both = broken.before.part !== 'tools' && broken.after !== null && broken.after.part !== 'tools'
    const common = both ? commonBytes(await messageText(broken.before.digest), await messageText(broken.after!.digest)) : 0
    const kept = bytes + common
    return {
      previous,
      kept,
      broken: await breaker(before, after, broken),
      lost: lostTokens(previous - kept, previous, before.usage, after.usage),
    }
  }

  async function breaker(before: Sent, after: Sent, broken: NonNullable<ReturnType<typeof keptOf>['broken']>): Promise<Breaker> {
    const { part, name } = broken.before.part === 'tools' ? broken.before : (broken.after ?? broken.before)
    const span = part === 'system' ? brokenSpan(await segments(before.step), await segments(after.step)) : null
    const prelude = part === 'prelude' ? (after.step.snapshot?.prelude?.name ?? null) : name
    const { block = null, template = null, layer = null, at = null, of = null } = span ?? {}
    const variable = span === null ? null : (span.variable ?? (await decider(after.step, span)))
    return { part, index: broken.index, name: prelude, block, template, layer, variable, at, of }
  }

  /** Words of a template that come and go do so for a variable. */
  async function decider({ prompt }: RunStep, { template: ref, layer, offset }: BrokenSpan): Promise<string | null> {
    const used = prompt.templates.find(one => one.ref === ref && one.layer === layer)
    // A role is never expanded, and has no offsets.
    if (used === undefined || offset === null) return null
    const text = new TextDecoder().decode(await store.object(tenant, used.template))
    return decidedBy(layer === 'agent-intrinsic' ? text : (JSON.parse(text) as LibraryTemplate).text, offset)
  }

  async function segments({ prompt }: RunStep) {
    const [stored, full] = await Promise.all([prompt.segments, prompt.full].map(digest => store.object(tenant, digest)))
    return readSegments(new TextDecoder().decode(stored), new TextDecoder().decode(full))
  }

  return { pieces, usage, compare }
}

/** Each group in the order in which its steps were sent. */
async function sentChains(
  store: Store,
  tenant: string,
  runId: string,
  nodeId: string | undefined,
): Promise<readonly (readonly RunStep[])[]> {
  const steps = (await loadReading(store, tenant, runId)).steps.filter(step => (nodeId ?? step.nodeId) === step.nodeId)
  if (nodeId !== undefined && steps.length === 0)
    throw await nodeNotFound(store, tenant, runId, nodeId, `Node ${nodeId} of run ${runId} has received no prompt`)
  const chains = new Map<string, RunStep[]>()
  for (const step of steps) {
    const { provider, model } = step.request.parameters
    const key = JSON.stringify([step.nodeId, provider, model])
    const chain = chains.get(key)
    if (chain === undefined) chains.set(key, [step])
    else chain.push(step)
  }
  return [...chains.values()]
}
