// What an agent was told in a step, word for word, with who said each of them and where it is written. Reads events and objects; composes nothing anew.
import { type BlameSpan, bytesIn, spansOf } from '../../core/blame/span.ts'
import type { Digest } from '../../core/digest/digest.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import { readSegments } from '../../core/run/stored-segments.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { Store } from '../../ports.ts'
import { answerFor } from '../unfit.ts'
import { type Origin, type Origins, originsAt } from './origins.ts'
import { blamePrelude, type PreludeMessage } from './prelude.ts'
import { segmentFacts } from './segment-facts.ts'
import { ownTools } from './session-facts.ts'
import { type StepQuestion, type ToldStep, toldSteps } from './told-steps.ts'
import { blameTools, type ShownTool } from './tools.ts'

export interface BlameAnswer {
  readonly runId: string
  readonly nodeId: string
  readonly visit: number
  readonly step: number
  /** Of the event that put it on record, before it was sent. */
  readonly sequence: number
  readonly at: string
  readonly promptHash: Digest
  /** Which bytes of the prompt were sent in this step. */
  readonly sent: Pick<PromptRecord['sent'], 'kind' | 'reason'> & { readonly start: number; readonly end: number }
  /** Paths are of this version, but for those of the repo. */
  readonly workspace: Pick<Snapshot, 'workspace' | 'version' | 'root'> | null
  readonly spans: readonly BlameSpan[]
  readonly prelude: readonly PreludeMessage[]
  readonly tools: readonly ShownTool[]
  /** Of every template and role in the prompt, by ref. */
  readonly origins: readonly ({ readonly ref: string } & Origin)[]
}

/** Waited for now and then: others want to be served too. */
type Pause = () => Promise<void>

/** Of each node its newest step, unless another is named. */
export const blameRun = (
  store: Store,
  tenant: string,
  runId: string,
  question: StepQuestion = {},
  pause: Pause = async () => {},
): Promise<readonly BlameAnswer[]> => answerFor(runId, () => blamedSteps(store, tenant, runId, question, pause))

async function blamedSteps(
  store: Store,
  tenant: string,
  runId: string,
  question: StepQuestion,
  pause: Pause,
): Promise<readonly BlameAnswer[]> {
  const answers: BlameAnswer[] = []
  const known = new Map<Digest | null, Origins>()
  for (const told of await toldSteps(store, tenant, runId, question, pause)) {
    await pause()
    const { snapshot } = told.event
    const root = snapshot?.root ?? null
    const origins = known.get(root) ?? originsAt(store, tenant, snapshot)
    known.set(root, origins)
    answers.push(await blameStep(store, tenant, told, origins))
  }
  return answers
}

async function blameStep(store: Store, tenant: string, told: ToldStep, origins: Origins): Promise<BlameAnswer> {
  const { event, sequence, at, visit, run } = told
  const { nodeId, step, prompt, request, snapshot } = event
  const text = async (digest: Digest) => new TextDecoder().decode(await store.object(tenant, digest))
  const full = await text(prompt.full)
  const segments = readSegments(await text(prompt.segments), full)
  const own = await ownTools(store, tenant, told)
  const tools = await blameTools(store, tenant, request.tools ?? [], own, snapshot, origins)
  const facts = await segmentFacts(store, tenant, told, origins, tools)
  const end = bytesIn(full)
  const sent = prompt.sent.text === null ? 0 : bytesIn(await text(prompt.sent.text))
  return {
    runId: run.state.runId,
    nodeId,
    visit,
    step,
    sequence,
    at,
    promptHash: prompt.full,
    sent: { kind: prompt.sent.kind, reason: prompt.sent.reason, start: end - sent, end },
    workspace: snapshot === null ? null : { workspace: snapshot.workspace, version: snapshot.version, root: snapshot.root },
    spans: spansOf(segments, facts.of),
    prelude: await blamePrelude(store, tenant, request.prelude, snapshot, origins),
    tools,
    origins: facts.origins,
  }
}
