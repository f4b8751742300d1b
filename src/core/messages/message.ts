// Folder: Messages, tools and receipts in one shape for all providers.
// A message in a form that can be sent to every provider, and its one spelling in the record. Knows no provider.
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'

export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const
export type Role = (typeof ROLES)[number]

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** The model's reasoning. Stored because some providers require it back beside the calls it led to. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly echo?: JsonObject
}

/** The form of a secret's id, as a part of a pattern. */
export const SECRET_ID = '[a-zA-Z0-9._-]{1,200}'

/** The place of a secret. It belongs to the texts before and after it: together they are one text. */
export interface SecretPart {
  readonly type: 'secret'
  readonly id: string
}

/** Base64, an address that the provider fetches, or the name of an object. */
export type ImagePart = { readonly type: 'image'; readonly mediaType?: string } & (
  | { readonly data: string }
  | { readonly url: string }
  | { readonly digest: Digest }
)

export interface ToolCallPart {
  readonly type: 'tool_call'
  readonly callId: string
  readonly toolName: string
  readonly arguments: Json
  /** Data that the provider sent with the call and requires back. Opaque to all others. */
  readonly echo?: JsonObject
}

export interface ToolResultPart {
  readonly type: 'tool_result'
  readonly callId: string
  readonly output: Json
  readonly toolName?: string
  readonly isError?: boolean
}

export type Part = TextPart | ReasoningPart | SecretPart | ImagePart | ToolCallPart | ToolResultPart

/** Tool results are only in messages of the role `tool`, tool calls only in those of `assistant`. */
export interface ChatMessage {
  readonly role: Role
  readonly content: readonly Part[]
  readonly name?: string
}

/** The canonical bytes of a message: equal messages are equal bytes. */
export const writeMessage = (message: ChatMessage): string => canonicalJson(message as unknown as Json)

/** The ids of all slots, once each, in order. */
export const slotsIn = (messages: readonly ChatMessage[]): readonly string[] => [
  ...new Set(messages.flatMap(({ content }) => content.flatMap(part => (part.type === 'secret' ? [part.id] : [])))),
]

/** As it may be stored, shown and hashed. */
export const observable = (message: ChatMessage): ChatMessage => withSlots(message, id => `[REDACTED:${id}]`)

/** As it is sent. Only an adapter calls this, while it builds a request: every slot must have its value. */
export const filled = (message: ChatMessage, secrets: ReadonlyMap<string, string>): ChatMessage =>
  withSlots(message, id => {
    const value = secrets.get(id)
    if (value === undefined) throw new TypeError(`no value for the secret ${id}`)
    return value
  })

function withSlots(message: ChatMessage, textOf: (id: string) => string): ChatMessage {
  if (!message.content.some(({ type }) => type === 'secret')) return message
  const content: Part[] = []
  let afterSlot = false
  for (const part of message.content) {
    const text = part.type === 'secret' ? textOf(part.id) : afterSlot && part.type === 'text' ? part.text : null
    const before = content.at(-1)
    if (text === null) content.push(part)
    else if (before?.type === 'text') content[content.length - 1] = { type: 'text', text: before.text + text }
    else content.push({ type: 'text', text })
    afterSlot = part.type === 'secret'
  }
  return { ...message, content }
}
