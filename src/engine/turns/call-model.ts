// Sends a recorded step to the model, and records the reply. Retries a retryable failure as a new attempt.
import type { Digest } from '../../core/digest/digest.ts'
import type { Receipt } from '../../core/messages/receipt.ts'
import type { Conversation } from '../../core/run/state.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { TurnEffect } from '../../core/turn/plan.ts'
import type { CallOptions } from '../../ports.ts'
import { agentName } from './agent-name.ts'
import { buildCall } from './model-call.ts'
import { type AtWork, type Performing, STOPPING } from './performing.ts'
import { NOT_GRANTED, preludeRefusal } from './prelude-secrets.ts'
import { untilReady } from './ready-provider.ts'
import { replyMisfit } from './reply-misfit.ts'
import { lookBefore, tellChange } from './repo-look.ts'
import { settledReply } from './settled-reply.ts'

const MOST_ATTEMPTS = 3
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

type ModelCallEffect = Extract<TurnEffect, { readonly type: 'model.call' }>

export async function callModel(performing: Performing, { step: { step, attempt } }: ModelCallEffect): Promise<void> {
  const { parts, place, signal, send } = performing
  const at = await performing.now()
  const open = at?.turn.step ?? null
  if (at === null || open?.step !== step || open.settled) return
  const { request } = open
  const { provider } = request.parameters
  // Only an answer of the provider fails a step. A call that was cancelled meanwhile is settled below, without asking.
  if (!(await untilReady(performing, provider)) && (!signal.aborted || signal.reason === STOPPING)) return
  if (parts.models.acts?.(provider) !== false) await lookBefore(performing)
  const receipt = (await refusedPrelude(performing, at, request)) ?? (await ask(performing, at, request))
  if (signal.reason === STOPPING) return
  if (mayRetry(receipt) && attempt < MOST_ATTEMPTS && !signal.aborted) {
    await parts.wait(Math.min(receipt.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS), signal)
    if (signal.reason === STOPPING) return
    if (!signal.aborted && (await send({ type: 'retryStep', step, code: receipt.code, detail: receipt.message })).refusal === null) return
  }
  const read = (digest: Digest) => parts.store.object(place.tenant, digest)
  const settled = await settledReply(read, request, receipt, text => replyMisfit(parts, place, at, text))
  const objects = settled.texts.map(text => new TextEncoder().encode(text))
  await tellChange(performing, { by: 'model', call: null }, ({ objects: diff, ...changed }) =>
    send({ ...settled.command, step }, { ...settled.brought, objects: [...objects, ...diff], ...changed }),
  )
}

/** Without the policy's consent no secret leaves: no call is made, and the step fails with the line to add to the policy. */
async function refusedPrelude({ parts, place }: Performing, at: AtWork, { prelude }: StepRequest): Promise<Receipt | null> {
  const { snapshot } = at.turn
  if (snapshot?.prelude == null || !prelude.includes(snapshot.prelude.digest)) return null
  const message = await preludeRefusal(parts, place.tenant, at.node.home ?? agentName(at, place.nodeId), snapshot)
  return message === null ? null : { status: 'error', code: NOT_GRANTED, message }
}

async function ask({ parts, place, signal }: Performing, { state, node, turn }: AtWork, request: StepRequest): Promise<Receipt> {
  const { store, models, secrets, seal, onDelta } = parts
  const { tenant, nodeId } = place
  const built = await buildCall(store, tenant, request)
  if (!built.ok) return { status: 'error', code: built.code, message: built.message }
  const held = node.delta ? node.conversation : null
  return models.call(built.call, {
    signal,
    secrets: secrets(tenant),
    object: digest => store.object(tenant, digest),
    // A script names the session that is asked directly, not the one node of its graph.
    caller: { tenant, node: state.direct?.session ?? nodeId, step: turn.steps },
    ...(held === null ? {} : { resume: resumed(held, request, built.sizes) }),
    ...(seal === undefined ? {} : { seal }),
    ...(onDelta === undefined ? {} : { onDelta: delta => onDelta({ ...place, session: node.session }, delta) }),
  })
}

/** Everything but the messages since the last reply. */
function resumed({ id, held }: Conversation, { history, user }: StepRequest, sizes: readonly number[]): NonNullable<CallOptions['resume']> {
  const unsent = history.count - held + (user === null ? 0 : 1)
  const kept = sizes.slice(0, Math.max(0, sizes.length - unsent))
  return { conversation: id, after: kept.reduce((sum, size) => sum + size, 0) }
}

const mayRetry = (receipt: Receipt): receipt is Extract<Receipt, { readonly code: string }> =>
  receipt.status !== 'ok' && receipt.code === 'provider_retryable'
