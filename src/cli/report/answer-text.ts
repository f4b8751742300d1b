// Describes how an approval ended: by a person, by time, or with its call. Only the first is an answer.
import { isWithdrawn } from '../../engine/runs/calls/approvals.ts'
import { clip } from './visible.ts'

export interface AnswerShown {
  readonly decision: string
  readonly answeredBy: string
  readonly note: string | null
  readonly arguments: string | null
}

export function answerText({ decision, answeredBy, note, arguments: changed }: AnswerShown): string {
  if (decision === 'expired') return 'no answer arrived in time: the request has expired'
  if (isWithdrawn({ decision, answeredBy, note })) return `the request is withdrawn: ${note}`
  const said = note === null ? '' : `: ${JSON.stringify(clip(note, 200))}`
  return `a person says: ${decision}${changed === null ? '' : ', with other arguments'}${said}`
}
