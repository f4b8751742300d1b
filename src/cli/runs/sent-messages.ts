// The messages sent with a composed prompt: the prelude and the history. As data, and for a person.
import type { Digest } from '../../core/digest/digest.ts'
import { observable, type Part, type Role } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { type HistoryHead, readHistoryNode } from '../../core/session/history.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import { Fault } from '../../errors.ts'
import { visible } from '../report/visible.ts'
import type { Bodies } from './bodies.ts'

/** `--json` has the complete message. */
const MOST_OF_A_PART = 400

export interface SentMessage {
  /** The digest of the message object. */
  readonly digest: Digest
  /** Null when it was erased. */
  readonly role: Role | null
  readonly parts: readonly Part[]
}

/** In the order of the request. */
export async function sentMessages({ prelude, history }: Pick<StepRequest, 'prelude' | 'history'>, bodies: Bodies) {
  const messages: SentMessage[] = []
  for (const digest of [...prelude, ...(await digestsIn(history, bodies))]) {
    const bytes = await bodies.bytes(digest)
    const read = bytes === null ? null : readMessages(bytes)
    if (read === null || !read.ok) messages.push({ digest, role: null, parts: [] })
    else for (const { role, content } of read.messages.map(observable)) messages.push({ digest, role, parts: content })
  }
  return messages
}

async function digestsIn({ head }: HistoryHead, bodies: Bodies): Promise<readonly Digest[]> {
  const pieces: (readonly Digest[])[] = []
  for (let at = head; at !== null; ) {
    const text = await bodies.text(at)
    const piece = text === null ? null : readHistoryNode(text)
    if (piece === null) throw new Fault('object_missing', { digest: at })
    pieces.unshift(piece.messages)
    at = piece.previous
  }
  return pieces.flat()
}

export const messageLines = (messages: readonly SentMessage[]): readonly string[] =>
  messages.flatMap(({ digest, role, parts }, index) => {
    const lines = role === null ? [`(${digest} cannot be read any more)`] : parts.map(partText)
    return lines.map(line => visible(`${index + 1}. ${role === null ? '' : `${role}: `}${line}`))
  })

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return counted(part.text)
    case 'reasoning':
      return `thought: ${counted(part.text)}`
    case 'tool_call':
      return `calls ${part.toolName} (${part.callId}) ${counted(JSON.stringify(part.arguments))}`
    case 'tool_result': {
      const said = typeof part.output === 'string' ? part.output : JSON.stringify(part.output)
      return `${part.isError === true ? 'error' : 'result'} of ${part.toolName ?? 'call'} (${part.callId}): ${counted(said)}`
    }
    case 'image':
      return 'an image'
    case 'secret':
      return `[REDACTED:${part.id}]`
  }
}

/** Cuts a long text, and says how much is left out. */
function counted(text: string): string {
  const characters = [...text]
  const more = characters.length - MOST_OF_A_PART
  return more <= 0 ? text : `${characters.slice(0, MOST_OF_A_PART).join('')}… (${more} characters more)`
}
