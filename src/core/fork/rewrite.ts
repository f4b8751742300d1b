// Rewrites the events of a run for its fork: only the names of the run and of approvals change.
import { digestText, type Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'

export interface Renaming {
  readonly runId: string
  readonly forkId: string
}

/** A fork has its own approvals: an answer to one must not reach the other. */
const approvalIn = (forkId: string, approval: string): string =>
  `approval_${digestText(`${forkId} ${approval}`).slice('sha256:'.length, 'sha256:'.length + 32)}`

const APPROVAL = /^approval_/

/** Decides by the key: text under any other key is not a name. */
export function renamed(payload: Json, names: Renaming): Json {
  if (Array.isArray(payload)) return payload.map(one => renamed(one, names))
  if (!isObject(payload)) return payload
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key,
      typeof value === 'string' ? renamedText(key, value, names) : renamed(value, names),
    ]),
  )
}

function renamedText(key: string, text: string, { runId, forkId }: Renaming): string {
  switch (key) {
    case 'runId':
      return text === runId ? forkId : text
    case 'approval':
      return approvalIn(forkId, text)
    case 'id':
      // The id of a message: a handoff, or an answer.
      if (text.startsWith(`${runId}/`)) return `${forkId}${text.slice(runId.length)}`
      return APPROVAL.test(text) ? approvalIn(forkId, text) : text
    default:
      return text
  }
}
