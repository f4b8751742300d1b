// What a person said about a call, on its way to the session. Changed arguments are judged here already, so that whoever gave wrong ones is told; and again before the call.
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import { authorize } from '../../core/gate/authorize.ts'
import { isSound } from '../../core/messages/content.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { isAsked, type OpenCall, type SessionState } from '../../core/session/state.ts'
import { Fault } from '../../errors.ts'
import { scrubbedRemark } from './done.ts'
import { gateFacts } from './gate-facts.ts'
import { loadSession } from './load.ts'
import type { SessionParts } from './performing.ts'
import type { SessionPlace } from './submit.ts'

export interface ApprovalAnswer {
  readonly approval: string
  /** Whatever is not `approved` is a no. */
  readonly decision: 'approved' | 'denied'
  readonly note: string | null
  /** In place of what the model asked for; null leaves that. */
  readonly arguments: Json
}

export interface AnswerCommand {
  readonly command: Extract<SessionCommand, { readonly type: 'answerApproval' }>
  readonly objects: readonly Uint8Array[]
}

export async function answerCommand(
  parts: SessionParts,
  place: SessionPlace,
  { approval, decision, note, arguments: changed }: ApprovalAnswer,
): Promise<AnswerCommand> {
  const kept = note === null ? null : await scrubbedRemark(parts, place.tenant, note)
  const answer = { type: 'answerApproval', approval, decision, by: place.actor, note: kept } as const
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  const open = askedIn(state, approval)
  if (isOver(open, parts.now())) return { command: { ...answer, decision: 'expired' }, objects: [] }
  if (changed === null || decision !== 'approved') return { command: answer, objects: [] }
  if (open !== null) await check(parts, place, state, open, changed)
  const text = canonicalJson(changed)
  return { command: { ...answer, arguments: digestText(text) }, objects: [new TextEncoder().encode(text)] }
}

/** Whether its time is over, though nobody has noticed yet. */
const isOver = (call: OpenCall | null, now: number): boolean => (call?.approval?.expiresAt ?? Number.POSITIVE_INFINITY) <= now

const askedIn = ({ run }: SessionState, approval: string): OpenCall | null =>
  run?.batch?.calls.find(call => call.approval?.approval === approval && isAsked(call)) ?? null

async function check(parts: SessionParts, place: SessionPlace, state: SessionState, { name, approval }: OpenCall, changed: Json) {
  if (!isSound(changed))
    throw new Fault('approval_arguments_refused', {
      tool: name,
      problem: 'they are nested too deep, or hold half a surrogate pair or a number that is too large',
    })
  // They are kept as they are given, and a tool cannot do with less.
  if (parts.scrub !== undefined && canonicalJson(await parts.scrub(place.tenant, changed)) !== canonicalJson(changed))
    throw new Fault('approval_arguments_refused', { tool: name, problem: 'they hold a secret of this host, and would be kept' })
  const asked = { name, arguments: changed, approval: { ...approval!, decision: 'approved' as const, answeredBy: place.actor } }
  const { facts } = await gateFacts(parts, place, state, asked)
  const { conditions } = authorize({ name, arguments: changed }, facts)
  const lacking = conditions.find(({ outcome }) => outcome === 'failed')
  if (lacking !== undefined) throw new Fault('approval_arguments_refused', { tool: name, problem: lacking.reason })
}
