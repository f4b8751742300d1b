// Translates messages for the AI SDK. Reports parts that cannot be sent; drops nothing silently.
import type { Digest } from '../../core/digest/digest.ts'
import type { ChatMessage, ImagePart, Part, ToolResultPart } from '../../core/messages/message.ts'
import { Fault } from '../../errors.ts'
import type { LanguageModel } from '../models/ai-sdk-providers.ts'
import { resultLine } from './result-line.ts'

export type SdkOptions = Parameters<LanguageModel['doStream']>[0]
export type SdkPrompt = SdkOptions['prompt']
type SdkMessage = SdkPrompt[number]
type SdkAssistant = Extract<SdkMessage, { role: 'assistant' }>['content']
type SdkUser = Extract<SdkMessage, { role: 'user' }>['content']
type SdkFile = Extract<SdkUser[number], { type: 'file' }>
type SdkTool = Extract<SdkMessage, { role: 'tool' }>['content']
type SdkMetadata = NonNullable<SdkOptions['providerOptions']>

export interface Prompt {
  readonly prompt: SdkPrompt
  readonly warnings: readonly string[]
}

/** `messages`: with their slots filled. */
export async function promptOf(messages: readonly ChatMessage[], object: (digest: Digest) => Promise<Uint8Array>): Promise<Prompt> {
  const toolNames = new Map<string, string>()
  const prompt: SdkMessage[] = []
  for (const { role, content } of messages) {
    for (const part of content) if (part.type === 'tool_call') toolNames.set(part.callId, part.toolName)
    if (role === 'system' || role === 'developer') prompt.push({ role: 'system', content: plainText(content) })
    else if (role === 'user') prompt.push({ role, content: await userContent(content, object) })
    else if (role === 'assistant') prompt.push({ role, content: await assistantContent(content, object) })
    else prompt.push(...toolMessages(content, toolNames))
  }
  const named = messages.some(({ name }) => name !== undefined)
  return { prompt, warnings: named ? ['The names of those who speak are not sent: this adapter has no place for them.'] : [] }
}

/** AI SDK 7 wants files tagged with their kind; otherwise prompts of both are the same. */
export function promptFor({ specificationVersion }: { readonly specificationVersion: string }, prompt: SdkPrompt): SdkPrompt {
  if (specificationVersion === 'v3') return prompt
  const tagged = ({ data, ...part }: SdkFile) => ({
    ...part,
    data: data instanceof URL ? { type: 'url', url: data } : { type: 'data', data },
  })
  return prompt.map(message =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: message.content.map(part => (part.type === 'file' ? tagged(part) : part)) },
  ) as SdkPrompt
}

function plainText(content: readonly Part[]): string {
  if (content.some(({ type }) => type === 'image')) throw new Fault('image_unusable', { problem: 'a system message holds text only' })
  return content.map(part => (part.type === 'text' ? part.text : '')).join('')
}

async function userContent(content: readonly Part[], object: (digest: Digest) => Promise<Uint8Array>): Promise<SdkUser> {
  const parts: SdkUser = []
  for (const part of content) {
    if (part.type === 'text') parts.push({ type: 'text', text: part.text })
    if (part.type === 'image') parts.push(await fileOf(part, object))
  }
  return parts
}

async function assistantContent(content: readonly Part[], object: (digest: Digest) => Promise<Uint8Array>): Promise<SdkAssistant> {
  const parts: SdkAssistant = []
  for (const part of content) {
    if (part.type === 'text') parts.push({ type: 'text', text: part.text })
    if (part.type === 'image') parts.push(await fileOf(part, object))
    // Thoughts go back only to a provider that gave something to go back with them.
    if (part.type === 'reasoning' && part.echo !== undefined) parts.push({ type: 'reasoning', text: part.text, ...echoed(part.echo) })
    if (part.type === 'tool_call')
      parts.push({ type: 'tool-call', toolCallId: part.callId, toolName: part.toolName, input: part.arguments, ...echoed(part.echo) })
  }
  return parts
}

const echoed = (echo: Extract<Part, { type: 'tool_call' }>['echo']): { providerOptions?: SdkMetadata } =>
  echo === undefined ? {} : { providerOptions: echo as SdkMetadata }

/** Providers reject the result of a call that they did not make: results of calls by line become text. */
function toolMessages(content: readonly Part[], toolNames: Map<string, string>): readonly SdkMessage[] {
  const results: SdkTool = []
  const texts: SdkUser = []
  for (const part of content) {
    if (part.type !== 'tool_result') continue
    const { callId, toolName = toolNames.get(callId) } = part
    if (toolName === undefined) throw new Fault('tool_call_missing', { callId })
    if (toolNames.delete(callId)) results.push({ type: 'tool-result', toolCallId: callId, toolName, output: outputOf(part) })
    else texts.push({ type: 'text', text: resultLine(part) })
  }
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...(texts.length === 0 ? [] : [{ role: 'user' as const, content: texts }]),
  ]
}

function outputOf({ output, isError = false }: ToolResultPart): Extract<SdkTool[number], { type: 'tool-result' }>['output'] {
  if (typeof output === 'string') return { type: isError ? 'error-text' : 'text', value: output }
  // JSON is JSON: theirs only lacks the word readonly.
  return { type: isError ? 'error-json' : 'json', value: output as never }
}

async function fileOf(image: ImagePart, object: (digest: Digest) => Promise<Uint8Array>): Promise<SdkFile> {
  if ('url' in image) return { type: 'file', mediaType: image.mediaType ?? 'image/*', data: new URL(image.url) }
  const data = 'data' in image ? image.data : Buffer.from(await object(image.digest)).toString('base64')
  const mediaType = image.mediaType ?? SIGNATURES.find(([start]) => data.startsWith(start))?.[1]
  if (mediaType === undefined)
    throw new Fault('image_unusable', { problem: 'it is not a PNG, JPEG, GIF or WebP, and no media type is given' })
  return { type: 'file', mediaType, data }
}

/** How files of each kind begin, in base64. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]
