// Decides how much of a prompt to send: all, or only the part after a header that the provider still holds. The record
// always has the whole.
import { type Digest, digestJson, digestText } from '../digest/digest.ts'
import type { ChatMessage, Part } from '../messages/message.ts'
import type { ComposedPrompt } from './blocks.ts'
import type { Block, BlockSegment } from './parts.ts'

const HEADER: readonly Block[] = ['system', 'role', 'mode']
const TAIL: readonly Block[] = ['task', 'override']

/** The state of the provider's own session. */
export interface ProviderSession {
  /** Whether it can continue from earlier prompts. */
  readonly resumes: boolean
  /** Whether it lost its memory, so that history is sent again. */
  readonly needsReplay: boolean
  /** `headerHash` of the last prompt that was sent in full; null when there was none. */
  readonly headerHash: Digest | null
}

export type SendingReason = 'replay_needed' | 'cannot_resume' | 'nothing_sent' | 'header_changed' | 'nothing_new' | 'header_unchanged'

export interface Sending {
  readonly kind: 'full' | 'delta'
  readonly reason: SendingReason
  /** As it may be seen. */
  readonly text: string
  readonly segments: readonly BlockSegment[]
  /** To be remembered once it was sent. */
  readonly headerHash: Digest
}

/** @param prelude the messages between the header and the history */
export function planSending(prompt: ComposedPrompt, session: ProviderSession, prelude: readonly Digest[] = []): Sending {
  const header = digestText(textOf(blocksOf(prompt.segments, HEADER)))
  const headerHash = prelude.length === 0 ? header : digestJson([header, ...prelude])
  const tail = blocksOf(prompt.segments, TAIL)
  const reason = reasonFor(session, headerHash, tail.length === 0)
  if (reason !== 'header_unchanged') return { kind: 'full', reason, text: prompt.full, segments: prompt.segments, headerHash }
  return { kind: 'delta', reason, text: textOf(tail), segments: tail, headerHash }
}

/** The first that holds. */
function reasonFor({ needsReplay, resumes, headerHash }: ProviderSession, present: Digest, tailIsEmpty: boolean): SendingReason {
  if (needsReplay) return 'replay_needed'
  if (!resumes) return 'cannot_resume'
  if (headerHash === null) return 'nothing_sent'
  if (headerHash !== present) return 'header_changed'
  return tailIsEmpty ? 'nothing_new' : 'header_unchanged'
}

/** The header as the system message, the rest as the user's, secrets as slots. Null for an empty message. */
export const promptMessages = ({
  segments,
}: ComposedPrompt): { readonly system: ChatMessage | null; readonly user: ChatMessage | null } => ({
  system: messageOf('system', blocksOf(segments, HEADER)),
  user: messageOf('user', blocksOf(segments, TAIL)),
})

const textOf = (segments: readonly BlockSegment[]): string => segments.map(({ text }) => text).join('')

/** Neighbouring blocks with the separators between them, and none around them. */
function blocksOf(segments: readonly BlockSegment[], wanted: readonly Block[]): readonly BlockSegment[] {
  const isWanted = ({ block }: BlockSegment): boolean => block !== null && wanted.includes(block)
  return segments.slice(segments.findIndex(isWanted), segments.findLastIndex(isWanted) + 1)
}

function messageOf(role: 'system' | 'user', segments: readonly BlockSegment[]): ChatMessage | null {
  if (segments.length === 0) return null
  const content: Part[] = []
  for (const { text, secret } of segments) {
    const before = content.at(-1)
    if (secret !== null) content.push({ type: 'secret', id: secret })
    else if (before?.type === 'text') content[content.length - 1] = { type: 'text', text: before.text + text }
    else if (text !== '') content.push({ type: 'text', text })
  }
  return { role, content }
}
