// Translates approvals to OpenWOP's interrupts of kind `approval`, and reads the answer. Decides nothing.
import type { Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'

/** An open approval, as the host lists it. */
export interface OpenApproval {
  readonly approval: string
  readonly askedAt: string
  readonly runId: string
  readonly nodeId: string
  readonly wants:
    | { readonly kind: 'mode'; readonly mode: string; readonly reason: string }
    | { readonly kind: 'tool'; readonly tool: string; readonly arguments: Json; readonly reason: string; readonly expiresAt: number | null }
}

/** InterruptPayload, with the fields that identify it. */
export function toInterrupt({ approval, askedAt, runId, nodeId, wants }: OpenApproval, now: number): object {
  const isTool = wants.kind === 'tool'
  const timeout = isTool && wants.expiresAt !== null ? { timeoutMs: Math.max(0, wants.expiresAt - now) } : {}
  return {
    interruptId: approval,
    runId,
    nodeId,
    kind: 'approval',
    key: approval,
    requestedAt: askedAt,
    ...timeout,
    data: {
      artifactId: approval,
      artifactType: isTool ? 'onbook.tool-call' : 'onbook.mode',
      title: isTool ? `Call ${wants.tool}` : `Change to mode ${wants.mode}`,
      description: wants.reason,
      artifactData: isTool ? { tool: wants.tool, arguments: wants.arguments } : { mode: wants.mode },
      actions: isTool ? ['accept', 'reject', 'edit'] : ['accept', 'reject'],
    },
  }
}

export interface Resumed {
  readonly decision: 'approved' | 'denied'
  readonly note: string | null
  readonly arguments: JsonObject | null
}

const DECISIONS: Readonly<Record<string, Resumed['decision']>> = {
  accept: 'approved',
  'edit-accept': 'approved',
  reject: 'denied',
  refine: 'denied',
  approved: 'approved',
  rejected: 'denied',
  denied: 'denied',
}

/** The decision in a `resumeValue`, or the reason why it is malformed. `ask` does not resolve an interrupt, so it is refused. */
export function readResumeValue(value: Json): Resumed | { readonly problem: string } {
  if (!isObject(value)) return { problem: 'resumeValue must be an object with an action: accept, reject, refine or edit-accept' }
  const action = value.action ?? value.decision
  const decision = typeof action === 'string' && Object.hasOwn(DECISIONS, action) ? DECISIONS[action] : undefined
  if (decision === undefined) return { problem: 'resumeValue.action must be accept, reject, refine or edit-accept' }
  const refined = isObject(value.refineFeedback) ? value.refineFeedback.text : undefined
  const note = [refined, value.feedback].find((text): text is string => typeof text === 'string' && text !== '') ?? null
  if (action !== 'edit-accept') return { decision, note, arguments: null }
  const edited = isObject(value.editedArtifactData) ? value.editedArtifactData : undefined
  const given = isObject(edited?.arguments) ? edited.arguments : edited
  return given === undefined ? { problem: 'edit-accept needs editedArtifactData: an object' } : { decision, note, arguments: given }
}
