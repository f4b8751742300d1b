// One tool call: judged, put on record as started, done, and told to the model. Nothing runs that the gate has not let through.
import { type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { authorize, type Verdict } from '../../core/gate/authorize.ts'
import type { Granting } from '../../core/gate/grants.ts'
import { USUAL_RULES } from '../../core/gate/rules.ts'
import { writeMessage } from '../../core/messages/message.ts'
import type { ToolCall } from '../../core/session/events.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import { type CallApproval, isDenied, type OpenBatch, type OpenCall, type SessionState } from '../../core/session/state.ts'
import { problemText } from '../../core/tools/asked-calls.ts'
import type { Binding } from '../../ports.ts'
import { askedCall } from './asked.ts'
import { AFTER_DENIAL, CANCELLED, type Done, failed, INTERRUPTED, scrubbed, told } from './done.ts'
import { gateFacts, scrubbedFacts } from './gate-facts.ts'
import { loadSession } from './load.ts'
import { type Performing, STOPPING } from './performing.ts'
import { lookBefore, tellChange } from './repo-look.ts'
import { runBinding } from './run-binding.ts'

export type ToolCallEffect = Extract<SessionEffect, { readonly type: 'tool.call' }>

export async function callTool(performing: Performing, effect: ToolCallEffect): Promise<void> {
  const { parts, place, signal, send } = performing
  const { run, batch, call, again } = effect
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  const open = openCall(state, effect)
  if (open === null) return
  if (open.phase === 'cancelling') return settleCall(performing, effect, unmade(effect))
  const { approval } = open.call
  if (approval === null && isDenied(open.batch, call.id)) return settleCall(performing, effect, AFTER_DENIAL)

  const given = await readJson(performing, approval?.arguments ?? call.arguments)
  const { facts, granting, binding } = await gateFacts(parts, place, state, { name: call.name, arguments: given, approval }, signal)
  if (signal.reason === STOPPING) return
  const line = (await askedCall(parts.store, place.tenant, state.run!.step, call))?.problem ?? null
  const known = await scrubbedFacts(parts, place, line === null ? facts : { ...facts, problem: problemText(line) })
  const verdict = authorize({ name: call.name, arguments: given }, known)
  const node = state.run?.node ?? null
  if (verdict.decision === 'allowed' && node !== null && parts.graph?.changes(call.name) === true)
    return parts.graph.change(performing, node, { effect, verdict, arguments: given })

  const asks = verdict.decision === 'waiting' ? { asks: asking(performing, verdict, granting) } : {}
  const { refusal } = await send({ type: 'judgeCall', run, batch, call: call.id, verdict, again, mode: facts.mode, ...asks })
  if (refusal?.code === 'run_mode_changed') return callTool(performing, effect)
  if (refusal?.code === 'run_cancelling') return settleCall(performing, effect, unmade(effect))
  // Cancelled since, or somebody else is at it.
  if (refusal !== null) return callTooLate(performing, effect)
  if (verdict.decision === 'waiting') return
  const done = await outcomeOf(performing, verdict, binding, given, approval)
  if (signal.reason === STOPPING) return
  await settleCall(performing, effect, done)
}

export async function callTooLate(performing: Performing, effect: ToolCallEffect): Promise<void> {
  const { state } = await loadSession(performing.parts.store, performing.place.tenant, performing.place.session)
  const open = openCall(state, effect)
  if (open?.phase === 'cancelling' && (effect.again || !open.call.started)) await settleCall(performing, effect, unmade(effect))
}

/** Whatever was begun before may have been done. */
const unmade = ({ again }: ToolCallEffect): Done => (again ? INTERRUPTED : CANCELLED)

/** The call as it stands; null when it is not to be made any more. */
function openCall(
  { run }: SessionState,
  effect: ToolCallEffect,
): { readonly phase: string; readonly batch: OpenBatch; readonly call: OpenCall } | null {
  if (run?.run !== effect.run || run.batch?.batch !== effect.batch) return null
  const call = run.batch.calls.find(({ id }) => id === effect.call.id)
  return call === undefined || call.settled !== null ? null : { phase: run.phase, batch: run.batch, call }
}

const readJson = async ({ parts, place }: Performing, digest: Digest): Promise<Json> =>
  JSON.parse(new TextDecoder().decode(await parts.store.object(place.tenant, digest))) as Json

function asking({ parts }: Performing, verdict: Verdict, { approval, reason }: Granting) {
  const { approvalMs } = parts.rules ?? USUAL_RULES
  const ms = approval?.expireAfterMs ?? approvalMs
  return {
    approval: `approval_${parts.newId()}`,
    by: approval?.by ?? null,
    expiresAt: ms === null ? null : parts.now() + ms,
    // Where a node or the graph asks, no grant does.
    reason: approval === null ? reasonIn(verdict) : `${reasonIn(verdict)}: ${reason}`,
  }
}

async function outcomeOf(
  performing: Performing,
  verdict: Verdict,
  binding: Binding | undefined,
  given: Json,
  approval: CallApproval | null,
): Promise<Done> {
  if (verdict.decision === 'allowed' && binding !== undefined) {
    if (binding.reads !== true) await lookBefore(performing)
    return told(await runBinding(performing, binding, given), given, approval)
  }
  const { code, said } = refusalOf(verdict, approval)
  return failed(code, said)
}

function refusalOf(verdict: Verdict, approval: CallApproval | null): { readonly code: string; readonly said: string } {
  if (approval?.decision === 'expired') return { code: 'approval_expired', said: 'nobody answered in time, so it was not made' }
  if (approval?.decision !== 'denied') return { code: 'tool_refused', said: reasonIn(verdict) }
  return { code: 'tool_denied', said: `a person denied it${approval.note === null ? '' : `: ${approval.note}`}` }
}

export type Telling = Pick<Performing, 'parts' | 'place' | 'send'>

/** Which call it was, and what the session was at when it was made. */
export type SettledCall = Omit<ToolCallEffect, 'type' | 'again'>

export async function settleCall(performing: Telling, { run, batch, epoch, stepEpoch, call }: SettledCall, came: Done): Promise<void> {
  const done = await scrubbed(performing, came)
  const text = await resultText(performing, call, done)
  const command = {
    type: 'settleCall',
    run,
    batch,
    epoch,
    stepEpoch,
    call: call.id,
    outcome: done.outcome,
    result: digestText(text),
  } as const
  await tellChange(performing, { by: 'tool', call: call.id }, ({ objects, ...brought }) =>
    performing.send(command, { objects: [new TextEncoder().encode(text), ...objects], ...brought }),
  )
}

/** What the model is told came of a call. */
export async function resultText({ parts, place }: Omit<Telling, 'send'>, call: ToolCall, { outcome, output }: Done): Promise<string> {
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  const asked = await askedCall(parts.store, place.tenant, state.run?.step ?? null, call)
  const isError = outcome.status !== 'succeeded'
  const { callId = call.id, notes = [] } = asked ?? {}
  const told = notes.length === 0 ? output : { notes, result: output }
  const said = { callId, toolName: call.name, output: told, ...(isError ? { isError } : {}) }
  return writeMessage({ role: 'tool', content: [{ type: 'tool_result', ...said }] })
}

const reasonIn = ({ conditions }: Verdict): string => conditions.find(({ outcome }) => outcome === 'failed')?.reason ?? 'it is not allowed'
