// Performs one tool call: judges it, records its start, runs it, records its result. A call without the gate's approval never runs.
import { canonicalJson, type Digest, digestJson, digestText, type Json } from '../../core/digest/digest.ts'
import { authorize, type Verdict } from '../../core/gate/authorize.ts'
import type { Granting } from '../../core/gate/grants.ts'
import { USUAL_RULES } from '../../core/gate/rules.ts'
import { writeMessage } from '../../core/messages/message.ts'
import { problemText } from '../../core/tools/asked-calls.ts'
import type { JudgeCall, SettleCall } from '../../core/turn/commands.ts'
import { type CallApproval, callNamed, isAsked, isDenied, type OpenCall, type OpenStep } from '../../core/turn/state.ts'
import { Fault } from '../../errors.ts'
import type { Binding } from '../../ports.ts'
import { agentName } from './agent-name.ts'
import { askedCall } from './asked.ts'
import { AFTER_DENIAL, CANCELLED, type Done, failed, INTERRUPTED, scrubbed, told } from './done.ts'
import { gateFacts, scrubbedFacts } from './gate-facts.ts'
import { nodeGate } from './node-gate.ts'
import { type AtWork, type NodeGate, type Performing, STOPPING } from './performing.ts'
import { lookBefore, tellChange } from './repo-look.ts'

/** A call that was judged. */
export interface Judged {
  readonly at: AtWork
  readonly call: OpenCall
  readonly arguments: Json
  readonly command: JudgeCall
  readonly binding: Binding | undefined
}

export async function callTool(performing: Performing, id: string): Promise<void> {
  const judged = await judge(performing, id, at => Promise.resolve(nodeGate(at.frozen, at.state, performing.place.nodeId)))
  if (judged === null) return
  const { at, call, command, binding, arguments: given } = judged
  const { verdict } = command
  if (verdict.decision !== 'allowed') return refuseCall(performing, judged)
  const { refusal } = await performing.send(command)
  if (refusal !== null) return judgeAgain(performing, id, refusal.code, () => callTool(performing, id))
  const done =
    binding === undefined ? failed('tool_refused', reasonIn(verdict)) : await madeBy(performing, at, binding, given, call.approval)
  if (performing.signal.reason === STOPPING) return
  await settleCall(performing, call, done)
}

/**
 * Null when there is nothing to judge: the call is over, its run is being cancelled, or a person denied a call before it.
 * @param gateOf the gate's facts about the node
 */
export async function judge(
  performing: Performing,
  id: string,
  gateOf: (at: AtWork, call: { readonly name: string; readonly arguments: Json }) => Promise<NodeGate>,
): Promise<Judged | null> {
  const { parts, place, signal } = performing
  const { tenant } = place
  const at = await performing.now()
  const call = at === null ? null : callNamed(at.turn, id)
  if (at === null || call === null || call.settled !== null || isAsked(call)) return null
  const { approval, name, started: again } = call
  if (at.turn.phase === 'cancelling') return over(performing, call, again ? INTERRUPTED : CANCELLED)
  if (approval === null && isDenied(at.turn, id)) return over(performing, call, AFTER_DENIAL)
  const given = await readJson(performing, approval?.changed ?? call.arguments)
  const gate = await gateOf(at, { name, arguments: given })
  const { facts, granting, binding } = await gateFacts(parts, tenant, at, gate, { name, arguments: given, approval }, signal)
  if (signal.reason === STOPPING) return null
  const line = (await askedCall(parts.store, tenant, at.turn.step, call))?.problem ?? null
  const known = await scrubbedFacts(parts, place, line === null ? facts : { ...facts, problem: problemText(line) })
  const verdict = authorize({ name, arguments: given }, known)
  const asks = verdict.decision === 'waiting' ? { asks: asking(performing, verdict, granting) } : {}
  const command: JudgeCall = { type: 'judgeCall', call: id, verdict, again, mode: facts.mode, ...asks }
  return { at, call, arguments: given, command, binding }
}

async function over(performing: Performing, call: OpenCall, done: Done): Promise<null> {
  await settleCall(performing, call, done)
  return null
}

/** A verdict that waits for a person leaves the call open; any other refusal settles it in the same commit. */
export async function refuseCall(performing: Performing, { at, call, command }: Judged): Promise<void> {
  if (command.verdict.decision === 'waiting') return void (await performing.send(command))
  const { code, said } = refusalOf(command.verdict, call.approval)
  const settling = await settlement(performing, at.turn.step, call, failed(code, said))
  await performing.send([command, settling.command], { objects: settling.objects })
}

/** The run has gone on while the call was judged: in another mode it is judged again, in a run that ends it is not made. */
export async function judgeAgain(performing: Performing, id: string, code: string, again: () => Promise<void>): Promise<void> {
  if (code === 'run_mode_changed') return again()
  const at = await performing.now()
  const call = at === null ? null : callNamed(at.turn, id)
  if (call !== null && call.settled === null && at!.turn.phase === 'cancelling')
    await settleCall(performing, call, call.started ? INTERRUPTED : CANCELLED)
}

const readJson = async ({ parts, place }: Performing, digest: Digest): Promise<Json> =>
  JSON.parse(new TextDecoder().decode(await parts.store.object(place.tenant, digest))) as Json

function asking({ parts }: Performing, verdict: Verdict, { approval, reason }: Granting): NonNullable<JudgeCall['asks']> {
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

async function madeBy(performing: Performing, at: AtWork, binding: Binding, given: Json, approval: CallApproval | null): Promise<Done> {
  if (binding.reads !== true) await lookBefore(performing)
  return told(await runBinding(performing, at, binding, given), given, approval)
}

function refusalOf(verdict: Verdict, approval: CallApproval | null): { readonly code: string; readonly said: string } {
  if (approval?.decision === 'expired') return { code: 'approval_expired', said: 'nobody answered in time, so it was not made' }
  if (approval?.decision !== 'denied') return { code: 'tool_refused', said: reasonIn(verdict) }
  return { code: 'tool_denied', said: `a person denied it${approval.note === null ? '' : `: ${approval.note}`}` }
}

export async function settleCall(performing: Performing, call: OpenCall, done: Done): Promise<void> {
  const at = await performing.now()
  const { command, objects } = await settlement(performing, at?.turn.step ?? null, call, done)
  await tellChange(performing, { by: 'tool', call: call.id }, ({ objects: diff, ...changed }) =>
    performing.send(command, { objects: [...objects, ...diff], ...changed }),
  )
}

export interface Settlement {
  readonly command: SettleCall
  readonly objects: readonly Uint8Array[]
}

/** The result as the model gets it, without the secrets that the host knows. */
export async function settlement(
  { parts, place }: Pick<Performing, 'parts' | 'place'>,
  step: OpenStep | null,
  call: OpenCall,
  came: Done,
): Promise<Settlement> {
  const { outcome, output } = await scrubbed({ parts, place }, came)
  const asked = await askedCall(parts.store, place.tenant, step, call)
  const isError = outcome.status !== 'succeeded'
  const { callId = call.id, notes = [] } = asked ?? {}
  const result = notes.length === 0 ? output : { notes, result: output }
  const toolResult = { callId, toolName: call.name, output: result, ...(isError ? { isError } : {}) }
  const text = writeMessage({ role: 'tool', content: [{ type: 'tool_result', ...toolResult }] })
  const bytes = new TextEncoder().encode(text)
  const command = { type: 'settleCall', call: call.id, outcome, result: digestText(text), resultHash: resultHash(bytes) } as const
  return { command, objects: [bytes] }
}

const reasonIn = ({ conditions }: Verdict): string => conditions.find(({ outcome }) => outcome === 'failed')?.reason ?? 'it is not allowed'

interface StoredResult {
  readonly content: readonly { readonly callId?: string }[]
}

/** The hash by which the results of two calls are compared: the stored message without the id of its call. */
function resultHash(bytes: Uint8Array): Digest {
  const { content } = JSON.parse(new TextDecoder().decode(bytes)) as StoredResult
  return digestJson(content.map(({ callId: _, ...part }) => part) as unknown as Json)
}

/**
 * A guard against runaway output. Each tool limits its own output to a sensible size: a megabyte of text, escaped as JSON at its worst,
 * fits.
 */
const MOST_OUTPUT = 8 * 1024 * 1024

type Working = Pick<Performing, 'parts' | 'place' | 'signal'>

async function runBinding({ parts, place, signal }: Working, at: AtWork, binding: Binding, given: Json): Promise<Done> {
  const { tenant, runId, nodeId } = place
  try {
    const output = await binding.run({ tenant, runId, nodeId, agent: agentName(at, nodeId), arguments: given }, signal)
    if (canonicalJson(output).length > MOST_OUTPUT)
      return failed('tool_output_too_large', `it answered with more than ${MOST_OUTPUT} characters; ask for less`)
    const failure = binding.failure?.(output) ?? null
    if (failure === null) return { outcome: { status: 'succeeded' }, output }
    return { outcome: { status: 'failed', code: 'tool_unsuccessful', detail: failure }, output }
  } catch (error) {
    if (signal.aborted) return failed('tool_cancelled', 'it was stopped')
    if (error instanceof Fault) return failed(error.code, error.message)
    parts.failed(error as Error, place)
    return failed('tool_failed', 'it failed; the host has written down how')
  }
}
