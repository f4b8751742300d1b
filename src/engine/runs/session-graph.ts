// What the graph adds to a session that works for one of its nodes: steps are composed, and the run follows from whatever happens, in one commit.
import { canonicalJson, type Digest, digestBytes, digestJson, digestText, isDigest, type Json } from '../../core/digest/digest.ts'
import type { Part } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import type { Answered, FinishReason } from '../../core/messages/receipt.ts'
import { draftRun } from '../../core/run/decide.ts'
import { followSession, type Told } from '../../core/run/follow.ts'
import type { SessionCommand, StepCommand } from '../../core/session/commands.ts'
import type { SessionEvent } from '../../core/session/events.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { LoadedSession } from '../sessions/load.ts'
import type { Submission, Submitted } from '../sessions/submit.ts'
import { type DecidedSession, decideAll } from './decide-session.ts'
import { outputOf } from './node-values.ts'
import { type NodeDesk, startStep } from './start-step.ts'
import type { RunChange } from './write-run.ts'

/** Null when the session no longer works for this node. */
export async function changeSession(
  desk: NodeDesk,
  { state, seq }: LoadedSession,
  command: SessionCommand,
  submission: Submission,
): Promise<RunChange<Submitted> | null> {
  const { run, session, nodeId } = desk
  const worksFor = state.run?.node ?? null
  if (worksFor?.runId !== run.state.runId || worksFor.nodeId !== nodeId) return null
  if (command.type === 'startStep') return changeByStep(desk, { state, seq }, command, submission)
  const decided = decideCommand(desk, state, command, submission)
  const told = await tellingOf(desk, state, command, submission, decided.events)
  const draft = followSession(
    draftRun(run.state),
    desk.frozen.workflow,
    desk.nodeId,
    decided.events,
    { before: state, after: decided.state },
    told,
  )
  const kept = decided.refusal === null ? submission.idempotency?.(decided.events) : undefined
  return {
    run: draft,
    session: { session, seq, state: decided.state, events: decided.events },
    objects: decided.refusal === null ? [...(submission.objects ?? []), ...decided.objects, ...told.objects] : [],
    ...(kept === undefined ? {} : { idempotency: kept }),
    answer: { ...decided, replayed: null },
  }
}

type StartStep = Extract<StepCommand, { readonly type: 'startStep' }>

async function changeByStep(
  desk: NodeDesk,
  { state, seq }: LoadedSession,
  { of, hostCatalog }: StartStep,
  { objects = [] }: Submission,
): Promise<RunChange<Submitted>> {
  const catalog = hostCatalog == null ? null : { digest: hostCatalog, bytes: objects[0]! }
  const { run, decided, texts, objects: made } = await startStep(desk, draftRun(desk.run.state), state, of!, catalog)
  const refusal = { code: 'run_not_running', message: `run ${desk.run.state.runId} does not go on` }
  if (decided === null) return { run, answer: { state, events: [], refusal, effects: [], replayed: null } }
  return {
    run,
    session: { session: desk.session, seq, state: decided.state, events: decided.events },
    texts,
    objects: made,
    answer: { ...decided, replayed: null },
  }
}

/** A reply that asks for nothing ends the node's work, and there is nothing to wait for: both are written at once. */
function decideCommand({ run }: NodeDesk, state: SessionState, command: SessionCommand, { objects = [] }: Submission): DecidedSession {
  // Somebody has said more since whoever asks looked.
  const isMore = command.type === 'completeRun' && state.followUps.length + state.interrupts.length > 0
  if (isMore) return decideAll(state, [{ ...command, type: 'awaitInput' }])
  const isLast = command.type === 'settleStep' && run.state.phase !== 'cancelling' && endsTheRun(state, command.reply, objects)
  if (!isLast) return decideAll(state, [command])
  const both = decideAll(state, [command, { type: 'completeRun', of: { run: command.run, step: command.step } }])
  return both.refusal === null ? both : decideAll(state, [command])
}

function endsTheRun({ run, interrupts, followUps }: SessionState, reply: Digest | null, objects: readonly Uint8Array[]): boolean {
  if (run === null || run.interactive || run.phase !== 'running' || interrupts.length + followUps.length > 0) return false
  const bytes = objects.find(one => digestBytes(one) === reply)
  return bytes !== undefined && partsIn(bytes).every(({ type }) => type !== 'tool_call')
}

/** What a command brings that its events do not say. */
async function tellingOf(
  { store, tenant }: NodeDesk,
  { run }: SessionState,
  command: SessionCommand,
  { objects = [] }: Submission,
  events: readonly SessionEvent[],
): Promise<Told & { readonly objects: readonly Uint8Array[] }> {
  const brought = new Map(objects.map(bytes => [digestBytes(bytes), bytes]))
  const settled = command.type === 'settleStep' ? settledStep(brought, command.reply, command.receipt ?? null) : {}
  if (!events.some(({ type }) => type === 'run.completed')) return { ...settled, objects: [] }
  const reply = command.type === 'settleStep' ? command.reply : (run?.step?.reply ?? null)
  const text = reply === null ? '' : textIn(brought.get(reply) ?? (await store.object(tenant, reply)))
  const given = outputOf(text)
  const stored = canonicalJson(given as unknown as Json)
  return { ...settled, output: { digest: digestText(stored), value: given.output }, objects: [new TextEncoder().encode(stored)] }
}

function settledStep(brought: ReadonlyMap<Digest, Uint8Array>, reply: Digest | null, receipt: Digest | null): Told {
  const replied = reply === null ? undefined : brought.get(reply)
  const received = receipt === null ? undefined : brought.get(receipt)
  const answered = received === undefined ? null : (JSON.parse(new TextDecoder().decode(received)) as Partial<Answered>)
  const usage = answered?.usage ?? null
  return {
    replyHash: replied === undefined ? null : replyHash(replied),
    ...(isName(answered?.conversation) ? { conversation: answered.conversation } : {}),
    tokens: usage === null ? null : (usage.total ?? usage.prompt + usage.completion),
    ...cutOf(answered?.finishReason?.reason),
  }
}

function cutOf(reason: FinishReason | undefined): Pick<Told, 'cut'> {
  if (reason === 'length') return { cut: 'The reply is not whole: it reached the limit of tokens. Raise it, or ask for less.' }
  return reason === 'content-filter' ? { cut: 'The reply is not whole: the provider filtered it.' } : {}
}

/** In an event a digest would name an object. Whoever names a conversation so is told everything every time. */
const isName = (conversation: string | undefined): conversation is string => conversation !== undefined && !isDigest(conversation)

/** Of what was said and which tools were asked for, whatever the calls are called. */
function replyHash(bytes: Uint8Array): Digest {
  const said = partsIn(bytes).flatMap((part): readonly Json[] => {
    if (part.type === 'text') return [part.text]
    return part.type === 'tool_call' ? [[part.toolName, part.arguments]] : []
  })
  return digestJson(said)
}

function partsIn(bytes: Uint8Array): readonly Part[] {
  const read = readMessages(bytes)
  return read.ok ? read.messages.flatMap(({ content }) => content) : []
}

function textIn(bytes: Uint8Array): string {
  return partsIn(bytes)
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('')
}
