// Decides whether a command failed, why, and whether a retry may help. Leaves the retry to the caller.
import { Fault } from '../../errors.ts'
import type { Said } from './reader.ts'
import type { Ended } from './run-command.ts'

export interface Outcome {
  readonly ended: Ended
  /** As its reader has it. */
  readonly finished: boolean | null
  readonly said: Said
  /** The agent's own error texts, the most specific first. Free of secrets. */
  readonly complaints: readonly string[]
  readonly resumed: string | null
  readonly lostPatterns: readonly string[]
}

/** Errors in a command's own words that a retry may cure. */
const PASSING =
  /overloaded|rate.?limit|too many requests|\b(?:429|500|502|503|504|529)\b|timed? ?out|temporar|unavailable|econn|eai_again|socket hang up/i

/** Null when there is an answer. */
export function faultOf({ ended, finished, said, complaints, resumed, lostPatterns }: Outcome): Fault | null {
  const { code, signal } = ended
  const broke = said.failure === null
  if (broke && (finished ?? code === 0))
    return said.texts.every(text => text.trim() === '')
      ? new Fault('provider_retryable', { problem: 'it ended well and said nothing' })
      : null
  const all = complaints.join('\n')
  const complaint = complaints.find(one => one !== '') ?? ''
  const isLost = lostPatterns.some(pattern => all.toLowerCase().includes(pattern.toLowerCase()))
  if (resumed !== null && isLost) return new Fault('conversation_lost', { conversation: resumed, problem: sentence(complaint) })
  const how = code === null ? `it was ended by ${signal}` : code === 0 ? 'it ended before its answer did' : `it ended with code ${code}`
  const problem = sentence([broke ? how : '', complaint].filter(text => text !== '').join(': '))
  const mayHelp = PASSING.test(all) || (broke && (code === null || code === 0))
  return new Fault(mayHelp ? 'provider_retryable' : 'provider_terminal', { problem })
}

/** On one line, without the stop that the message around it brings. */
const sentence = (text: string): string => text.trim().replace(/\s+/g, ' ').replace(/\.+$/, '')
