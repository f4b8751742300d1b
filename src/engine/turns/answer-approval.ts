// Turns a person's answer about a call into a command for the turn. Changed arguments are judged here, so that the caller gets an error at
// once;
// they are judged again before the call.
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import { authorize } from '../../core/gate/authorize.ts'
import { isSound } from '../../core/messages/content.ts'
import type { AnswerApproval } from '../../core/turn/commands.ts'
import { isAsked, type OpenCall } from '../../core/turn/state.ts'
import { Fault } from '../../errors.ts'
import { scrubbedRemark } from './done.ts'
import { gateFacts } from './gate-facts.ts'
import { nodeGate } from './node-gate.ts'
import type { AtWork, TurnParts, TurnPlace } from './performing.ts'

export interface ApprovalAnswer {
  readonly approval: string
  /** Anything but `approved` is a no. */
  readonly decision: 'approved' | 'denied'
  readonly note: string | null
  /** In place of the model's arguments; null leaves those. */
  readonly arguments: Json
}

export interface AnswerCommand {
  readonly command: AnswerApproval
  readonly objects: readonly Uint8Array[]
}

/** @param at null when the node is not at work any more */
export async function answerCommand(
  parts: TurnParts,
  place: TurnPlace,
  at: AtWork | null,
  { approval, decision, note, arguments: changed }: ApprovalAnswer,
): Promise<AnswerCommand> {
  const scrubbedNote = note === null ? null : await scrubbedRemark(parts, place.tenant, note)
  const answer: AnswerApproval = { type: 'answerApproval', approval, decision, by: place.actor, note: scrubbedNote, arguments: null }
  const open = at?.turn.calls.find(call => call.approval?.approval === approval && isAsked(call)) ?? null
  if (isOver(open, parts.now())) return { command: { ...answer, decision: 'expired' }, objects: [] }
  if (changed === null || decision !== 'approved') return { command: answer, objects: [] }
  if (open !== null) await check(parts, place, at!, open, changed)
  const text = canonicalJson(changed)
  return { command: { ...answer, arguments: digestText(text) }, objects: [new TextEncoder().encode(text)] }
}

/** Whether the approval has expired, even if no event says so yet. */
const isOver = (call: OpenCall | null, now: number): boolean => (call?.approval?.expiresAt ?? Number.POSITIVE_INFINITY) <= now

async function check(parts: TurnParts, place: TurnPlace, at: AtWork, { name, approval }: OpenCall, changed: Json): Promise<void> {
  if (!isSound(changed))
    throw new Fault('approval_arguments_refused', {
      tool: name,
      problem: 'they are nested too deep, or hold half a surrogate pair or a number that is too large',
    })
  // Changed arguments are stored unscrubbed, because the tool needs them whole. So arguments with a secret are refused.
  if (parts.scrub !== undefined && canonicalJson(await parts.scrub(place.tenant, changed)) !== canonicalJson(changed))
    throw new Fault('approval_arguments_refused', { tool: name, problem: 'they hold a secret of this host, and would be kept' })
  const asked = { name, arguments: changed, approval: { ...approval!, decision: 'approved' as const, answeredBy: place.actor } }
  const { facts } = await gateFacts(parts, place.tenant, at, nodeGate(at.frozen, at.state, place.nodeId), asked)
  const { conditions } = authorize({ name, arguments: changed }, facts)
  const lacking = conditions.find(({ outcome }) => outcome === 'failed')
  if (lacking !== undefined) throw new Fault('approval_arguments_refused', { tool: name, problem: lacking.reason })
}
