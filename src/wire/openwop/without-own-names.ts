// Payloads without the names that belong to one run alone, so that two replays of a run have equal payloads.
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'

/**
 * The document around the payload has the run's id, and the run's snapshot has the session of each node. Nobody can answer an approval of a replay or
 * wait for one of its handoffs, so a replay sends neither the approval's id nor the time limit of a handoff.
 */
export function withoutOwnNames(payload: JsonObject, runId: string, isReplay: boolean): JsonObject {
  const isOwn = (key: string, value: Json | undefined): boolean =>
    (key === 'runId' && value === runId) ||
    (key === 'session' && typeof value === 'string' && value.startsWith(`${runId}.`)) ||
    (isReplay && key === 'approval' && value !== null)
  const rest = Object.fromEntries(Object.entries(payload).filter(([key, value]) => !isOwn(key, value)))
  const { awaits } = rest
  return isReplay && awaits != null ? { ...rest, awaits: { call: (awaits as JsonObject).call ?? null } } : rest
}
