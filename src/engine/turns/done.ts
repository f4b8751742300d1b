// The result of a tool call: the outcome for the record, and the output for the model. Makes no call.
import type { Json } from '../../core/digest/digest.ts'
import { shortReason } from '../../core/gate/short-reason.ts'
import type { CallStatus } from '../../core/turn/events.ts'
import type { CallApproval } from '../../core/turn/state.ts'
import type { Performing, TurnParts } from './performing.ts'

export interface Done {
  readonly outcome: CallStatus
  readonly output: Json
}

export const failed = (code: string, detail: string): Done => ({ outcome: { status: 'failed', code, detail }, output: { error: detail } })

/** The result of a call that a defect in this code interrupted. */
export const brokenOff = (code: string, message: string): Done => failed(code, `${message}; whether it was done is not known`)

/** The run was cancelled before its turn came. */
export const CANCELLED: Done = { outcome: { status: 'cancelled' }, output: { error: 'the run was cancelled' } }
export const AFTER_DENIAL: Done = {
  outcome: { status: 'cancelled' },
  output: { error: 'a call before it in the same reply was not approved, so this one was not made' },
}
export const INTERRUPTED: Done = {
  outcome: { status: 'interrupted' },
  output: { error: 'the host stopped while this was done; whether it was done is not known, and it is not done again' },
}

/** Without this, the model would assume that its own arguments were used. */
export const told = (done: Done, given: Json, approval: CallApproval | null): Done =>
  approval === null || approval.changed === null ? done : { ...done, output: { changedArguments: given, result: done.output } }

/** Scrubs a person's remark on work. Messages that people send to agents are not scrubbed: a secret belongs into a slot. */
export const scrubbedRemark = async ({ scrub }: Pick<TurnParts, 'scrub'>, tenant: string, remark: string): Promise<string> =>
  scrub === undefined ? remark : String(await scrub(tenant, remark))

/** Removes the secrets that this host knows. A tool may have brought them in, or a person who changed arguments or left a note. */
export async function scrubbed({ parts, place }: Pick<Performing, 'parts' | 'place'>, { outcome, output }: Done): Promise<Done> {
  const scrub = async (value: Json): Promise<Json> => parts.scrub?.(place.tenant, value) ?? value
  try {
    const clean = await scrub(output)
    if (outcome.status !== 'failed') return { outcome, output: clean }
    // Truncate only after scrubbing: half a secret would not be recognized.
    return { outcome: { ...outcome, detail: shortReason(String(await scrub(outcome.detail))) }, output: clean }
  } catch (error) {
    parts.failed(error as Error, place)
    return failed('tool_unscrubbed', 'it was done, but its answer is not shown: the host could not take secrets out of it. Tell a person')
  }
}
