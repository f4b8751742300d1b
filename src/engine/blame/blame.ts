// Folder: Answers who wrote a prompt, from events and objects alone, so that a run file is enough. It reads no projection and writes nothing.
// Shows the prompt of a step, span by span, with the author and the file of each. Reads events and objects; composes nothing again.
import { type BlameSpan, bytesIn, spansOf } from '../../core/blame/span.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { readSegments } from '../../core/run/reading/stored-segments.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import type { Store } from '../../ports.ts'
import { answerFor } from '../reading/malformed.ts'
import { type BlamedStep, blamedSteps, type StepQuestion } from './blamed-steps.ts'
import { type Origin, type Origins, originsAt } from './origins.ts'
import { blamePrelude, type PreludeMessage } from './prelude.ts'
import { segmentFacts } from './segment-facts.ts'
import { blameTools, type ShownTool } from './tools.ts'

export interface BlameAnswer {
  readonly runId: string
  readonly nodeId: string
  readonly visit: number
  readonly step: number
  /** The sequence of the event that recorded the prompt, before it was sent. */
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
  /** The origin of every template and role in the prompt, by ref. */
  readonly origins: readonly ({ readonly ref: string } & Origin)[]
}

/** Waited for now and then: others want to be served too. */
type Pause = () => Promise<void>

/** The newest step of each node, unless the question names another. */
export const blameRun = (
  store: Store,
  tenant: string,
  runId: string,
  question: StepQuestion = {},
  pause: Pause = async () => {},
): Promise<readonly BlameAnswer[]> => answerFor(runId, () => answersFor(store, tenant, runId, question, pause))

async function answersFor(
  store: Store,
  tenant: string,
  runId: string,
  question: StepQuestion,
  pause: Pause,
): Promise<readonly BlameAnswer[]> {
  const answers: BlameAnswer[] = []
  const known = new Map<Digest | null, Origins>()
  for (const blamed of await blamedSteps(store, tenant, runId, question, pause)) {
    await pause()
    const { snapshot } = blamed.step
    const root = snapshot?.root ?? null
    const origins = known.get(root) ?? originsAt(store, tenant, snapshot)
    known.set(root, origins)
    answers.push(await blameStep(store, tenant, blamed, origins))
  }
  return answers
}

async function blameStep(store: Store, tenant: string, blamed: BlamedStep, origins: Origins): Promise<BlameAnswer> {
  const { run } = blamed
  const { sequence, at, nodeId, visit, step, prompt, request, snapshot } = blamed.step
  const text = async (digest: Digest) => new TextDecoder().decode(await store.object(tenant, digest))
  const full = await text(prompt.full)
  const segments = readSegments(await text(prompt.segments), full)
  const tools = await blameTools(store, tenant, request.tools ?? [], blamed.step.config?.toolDigests ?? null, snapshot, origins)
  const facts = await segmentFacts(store, tenant, blamed, origins, tools)
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
