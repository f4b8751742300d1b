// Asks the model what a recorded step says, and puts its answer on record. What may be tried again is tried again, as a new attempt.
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { type ChatMessage, writeMessage } from '../../core/messages/message.ts'
import { assistantMessage, type Receipt } from '../../core/messages/receipt.ts'
import type { Conversation } from '../../core/run/state.ts'
import type { Failure, ReplyMisfit } from '../../core/session/events.ts'
import type { StepRequest } from '../../core/session/materialize.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import type { OpenRun, SessionState } from '../../core/session/state.ts'
import { askedIn } from '../../core/tools/asked-calls.ts'
import type { CallOptions } from '../../ports.ts'
import { lineTools } from './asked.ts'
import { loadSession } from './load.ts'
import { buildCall } from './model-call.ts'
import { type Performing, STOPPING } from './performing.ts'
import { NOT_GRANTED, preludeRefusal } from './prelude-secrets.ts'
import { untilReady } from './ready-provider.ts'
import { lookBefore, tellChange } from './repo-look.ts'

const MOST_ATTEMPTS = 3
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/** Cancelled or interrupted while it waited: nothing is asked again. */
const ABORTED = { refusal: 'aborted' }

type ModelCallEffect = Extract<SessionEffect, { readonly type: 'model.call' }>

export async function callModel(performing: Performing, effect: ModelCallEffect): Promise<void> {
  const { parts, place, signal, send } = performing
  const { run, step, attempt } = effect
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  const open = state.run?.run === run && state.run.step?.step === step ? state.run.step : null
  if (open === null || open.settled) return
  const { provider } = open.request.parameters
  // Only an answer of the provider fails a step. A call that was cancelled meanwhile is settled below, without asking.
  if (!(await untilReady(performing, provider)) && (!signal.aborted || signal.reason === STOPPING)) return
  if (parts.models.acts?.(provider) !== false) await lookBefore(performing)
  const refused = await refusedPrelude(performing, state, open.request)
  const receipt = refused ?? (await ask(performing, open.request, state.run!))
  if (signal.reason === STOPPING) return
  if (mayRetry(receipt) && attempt < MOST_ATTEMPTS && !signal.aborted) {
    await parts.wait(Math.min(receipt.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS), signal)
    if (signal.reason === STOPPING) return
    const { refusal } = signal.aborted
      ? ABORTED
      : await send({ type: 'retryStep', code: receipt.code, detail: receipt.message, of: { run, step } })
    if (refusal === null) return
  }
  const kept = canonicalJson(receipt as unknown as Json)
  const said = receipt.status === 'ok' ? assistantMessage(receipt) : null
  const reply = said === null ? null : writeMessage(said)
  const texts = reply === null ? [kept] : [kept, reply]
  const command = {
    type: 'settleStep',
    run,
    step,
    reply: reply === null ? null : digestText(reply),
    receipt: digestText(kept),
    failure: failureOf(receipt, said !== null),
    ...(await misfitOf(performing, state.run!, said)),
  } as const
  await tellChange(performing, { by: 'model', call: null }, ({ objects, ...brought }) =>
    send(command, { objects: [...texts.map(text => new TextEncoder().encode(text)), ...objects], ...brought }),
  )
}

/** Without the policy's consent no secret leaves: nothing is asked, and the step fails with what to add to the policy. */
async function refusedPrelude(
  { parts, place }: Performing,
  { run, home }: SessionState,
  { prelude }: StepRequest,
): Promise<Receipt | null> {
  const snapshot = run?.snapshot ?? null
  if (snapshot?.prelude == null || !prelude.includes(snapshot.prelude.digest)) return null
  const message = await preludeRefusal(parts, place, home?.session ?? place.session, snapshot)
  return message === null ? null : { status: 'error', code: NOT_GRANTED, message }
}

async function ask({ parts, place, signal }: Performing, request: StepRequest, { node, steps }: OpenRun): Promise<Receipt> {
  const { store, models, secrets, seal, onDelta } = parts
  const built = await buildCall(store, place.tenant, request)
  if (!built.ok) return { status: 'error', code: built.code, message: built.message }
  const held = node === null ? null : ((await parts.graph?.held(place, node)) ?? null)
  return models.call(built.call, {
    signal,
    secrets: secrets(place.tenant),
    object: digest => store.object(place.tenant, digest),
    caller: { tenant: place.tenant, node: node?.nodeId ?? place.session, step: steps },
    ...(held === null ? {} : { resume: resumed(held, request, built.sizes) }),
    ...(seal === undefined ? {} : { seal }),
    ...(onDelta === undefined ? {} : { onDelta: delta => onDelta(place, delta) }),
  })
}

/** Everything but what was said since the last reply. */
function resumed({ id, held }: Conversation, { history, user }: StepRequest, sizes: readonly number[]): NonNullable<CallOptions['resume']> {
  const unsent = history.count - held + (user === null ? 0 : 1)
  const kept = sizes.slice(0, Math.max(0, sizes.length - unsent))
  return { conversation: id, after: kept.reduce((sum, size) => sum + size, 0) }
}

/** Only of a reply that calls no tool: any other is not what the node gives. */
async function misfitOf(
  { parts, place }: Performing,
  { node, step, snapshot }: OpenRun,
  said: ChatMessage | null,
): Promise<{ readonly misfit?: ReplyMisfit }> {
  if (said === null || node === null || parts.graph === undefined) return {}
  const read = (digest: Digest) => parts.store.object(place.tenant, digest)
  const { calls, last } = askedIn(said.content, await lineTools(read, step!.request))
  const misfit = calls.length > 0 ? null : await parts.graph.misfit(place.tenant, node, last, snapshot)
  return misfit === null ? {} : { misfit }
}

const mayRetry = (receipt: Receipt): receipt is Extract<Receipt, { readonly code: string }> =>
  receipt.status !== 'ok' && receipt.code === 'provider_retryable'

function failureOf(receipt: Receipt, said: boolean): Failure | null {
  if (receipt.status !== 'ok') return { code: receipt.code, detail: receipt.message }
  return said ? null : { code: 'reply_empty', detail: 'the model said nothing and called no tool' }
}
