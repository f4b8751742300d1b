// What the graph adds to a session that works for one of its nodes: steps are composed, and the run follows from whatever happens, in one commit.
import { canonicalJson, type Digest, digestBytes, digestJson, digestText, isDigest, type Json } from '../../core/digest/digest.ts'
import type { Answered, FinishReason } from '../../core/messages/receipt.ts'
import { draftRun, emitRun } from '../../core/run/decide.ts'
import { followSession, type Told } from '../../core/run/follow.ts'
import type { SessionCommand, StepCommand } from '../../core/session/commands.ts'
import type { SessionEvent } from '../../core/session/events.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { SessionState } from '../../core/session/state.ts'
import type { Asked } from '../../core/tools/asked-calls.ts'
import { askedOf } from '../sessions/asked.ts'
import type { LoadedSession } from '../sessions/load.ts'
import type { Submission, Submitted } from '../sessions/submit.ts'
import { type DecidedSession, decideAll } from './decide-session.ts'
import { deliveries, hasMail, lettersOf, type Mail, mailTo } from './mail.ts'
import { outputOf } from './node-values.ts'
import { resultHash } from './result-hash.ts'
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
  const refusal = command.type === 'judgeCall' ? outdated(desk, command) : null
  if (refusal !== null) return { run: draftRun(run.state), answer: { state, events: [], refusal, effects: [], replayed: null } }
  const { decided, mail, texts } = await decideWithMail(desk, state, command, submission)
  const { changed } = submission
  const told = await tellingOf(desk, state, command, submission, decided.events)
  const draft = followSession(
    emitRun(draftRun(run.state), ...deliveries(nodeId, mail)),
    desk.frozen.workflow,
    desk.nodeId,
    decided.events,
    { before: state, after: decided.state },
    changed === undefined ? told : { ...told, changed },
  )
  const kept = decided.refusal === null ? submission.idempotency?.(decided.events) : undefined
  return {
    run: draft,
    session: { session, seq, state: decided.state, events: decided.events },
    texts,
    objects: decided.refusal === null ? [...(submission.objects ?? []), ...decided.objects, ...told.objects] : [],
    ...(kept === undefined ? {} : { idempotency: kept }),
    answer: { ...decided, replayed: null },
  }
}

/** What a call was allowed in: the run may have gone on while it was judged. */
function outdated({ run: { state } }: NodeDesk, { verdict, mode }: JudgeCall): Submitted['refusal'] {
  if (verdict.decision !== 'allowed') return null
  if (state.phase === 'cancelling') return { code: 'run_cancelling', message: `run ${state.runId} is being cancelled` }
  return mode === state.mode ? null : { code: 'run_mode_changed', message: `run ${state.runId} is in ${state.mode} by now` }
}

type JudgeCall = Extract<StepCommand, { readonly type: 'judgeCall' }>
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

interface Decided {
  readonly decided: DecidedSession
  /** What the session is given with it to read. */
  readonly mail: readonly Mail[]
  readonly texts: readonly StoredText[]
}

/** Whoever is about to end, or to wait, reads what was sent to it meanwhile, and goes on. */
async function decideWithMail(desk: NodeDesk, state: SessionState, command: SessionCommand, submission: Submission): Promise<Decided> {
  const { store, tenant, run, nodeId } = desk
  if ((command.type === 'completeRun' || command.type === 'awaitInput') && readsOn(desk, state)) {
    const mail = await mailTo(store, tenant, run.state, nodeId)
    const { commands, texts } = lettersOf(run.state.runId, mail)
    const decided = decideAll(state, [...commands, { ...command, type: 'awaitInput' }])
    if (decided.refusal === null) return { decided, mail, texts }
  }
  return { decided: await decideCommand(desk, state, command, submission), mail: [], texts: [] }
}

/** Whether there is something for it to read, and a step left to do so; if not, it reads when it starts again. */
function readsOn({ run: { state }, nodeId }: NodeDesk, { run }: SessionState): boolean {
  const most = run?.config.limits.maxSteps ?? null
  return hasMail(state, nodeId) && run !== null && (most === null || most <= 0 || run.steps < most)
}

/** A reply that asks for nothing ends the node's work, and there is nothing to wait for: both are written at once. */
async function decideCommand(
  desk: NodeDesk,
  state: SessionState,
  command: SessionCommand,
  { objects = [] }: Submission,
): Promise<DecidedSession> {
  // Somebody has said more since whoever asks looked.
  const isMore = command.type === 'completeRun' && state.followUps.length + state.interrupts.length > 0
  if (isMore) return decideAll(state, [{ ...command, type: 'awaitInput' }])
  const isLast =
    !readsOn(desk, state) &&
    command.type === 'settleStep' &&
    desk.run.state.phase !== 'cancelling' &&
    (await endsTheRun(desk, state, command.reply, objects))
  if (!isLast) return decideAll(state, [command])
  const both = decideAll(state, [command, { type: 'completeRun', of: { run: command.run, step: command.step } }])
  return both.refusal === null ? both : decideAll(state, [command])
}

async function endsTheRun(
  { store, tenant }: NodeDesk,
  { run, interrupts, followUps }: SessionState,
  reply: Digest | null,
  objects: readonly Uint8Array[],
): Promise<boolean> {
  if (run === null || run.interactive || run.phase !== 'running' || interrupts.length + followUps.length > 0) return false
  const bytes = objects.find(one => digestBytes(one) === reply)
  return bytes !== undefined && (await askedOf(digest => store.object(tenant, digest), run.step!.request, bytes)).calls.length === 0
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
  const askedIn = async (reply: Digest | null): Promise<Asked | null> => {
    if (reply === null || run === null || run.step === null) return null
    const read = (digest: Digest) => store.object(tenant, digest)
    return askedOf(read, run.step.request, brought.get(reply) ?? (await read(reply)))
  }
  const settled =
    command.type === 'settleStep'
      ? settledStep(brought, await askedIn(command.reply), command.receipt ?? null)
      : command.type === 'settleCall'
        ? settledCall(brought, command.result)
        : {}
  if (!events.some(({ type }) => type === 'run.completed')) return { ...settled, objects: [] }
  const reply = command.type === 'settleStep' ? command.reply : (run?.step?.reply ?? null)
  const given = outputOf((await askedIn(reply))?.last ?? '')
  const stored = canonicalJson(given as unknown as Json)
  return { ...settled, output: { digest: digestText(stored), value: given.output }, objects: [new TextEncoder().encode(stored)] }
}

function settledCall(brought: ReadonlyMap<Digest, Uint8Array>, result: Digest | null): Told {
  const bytes = result === null ? undefined : brought.get(result)
  return bytes === undefined ? {} : { resultHash: resultHash(bytes) }
}

/** What the run is told of a step that is settled. @param brought the receipt, by its name */
export function settledStep(brought: ReadonlyMap<Digest, Uint8Array>, asked: Asked | null, receipt: Digest | null): Told {
  const received = receipt === null ? undefined : brought.get(receipt)
  const answered = received === undefined ? null : (JSON.parse(new TextDecoder().decode(received)) as Partial<Answered>)
  const usage = answered?.usage ?? null
  return {
    replyHash: asked === null ? null : replyHash(asked),
    ...(isName(answered?.conversation) ? { conversation: answered.conversation } : {}),
    tokens: usage === null ? null : (usage.total ?? usage.prompt + usage.completion),
    warnings: [...cutOf(answered?.finishReason?.reason), ...(asked === null ? [] : nearCallsIn(asked))],
  }
}

type Warnings = NonNullable<Told['warnings']>

function cutOf(reason: FinishReason | undefined): Warnings {
  const cut = (why: string) => [{ code: 'reply_cut', message: `The reply is not whole: ${why}` }]
  if (reason === 'length') return cut('it reached the limit of tokens. Raise it, or ask for less.')
  return reason === 'content-filter' ? cut('the provider filtered it.') : []
}

/** Beside calls the model is told. Alone they end its turn, and only people can see that it may have meant a call. */
const nearCallsIn = ({ calls, asides }: Asked): Warnings =>
  calls.length > 0 || asides.length === 0 ? [] : [{ code: 'reply_near_call', message: `The reply makes no call. ${asides.join(' ')}` }]

/** In an event a digest would name an object. Whoever names a conversation so is told everything every time. */
const isName = (conversation: string | undefined): conversation is string => conversation !== undefined && !isDigest(conversation)

/** Of what was said and which tools were asked for, whatever the calls are called. */
const replyHash = ({ text, calls }: Asked): Digest =>
  digestJson([...(text === '' ? [] : [text]), ...calls.map(({ toolName, arguments: given }) => [toolName, given])])
