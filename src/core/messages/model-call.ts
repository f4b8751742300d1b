// A complete request to a model as one value, and its digest. Secrets are slots in it, never values.
import { type Digest, digestJson, type Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { LineCalling } from '../tools/asked-calls.ts'
import type { Descriptor } from '../tools/catalog.ts'
import type { ToolChoice } from '../tools/read-tools.ts'
import { type ChatMessage, observable } from './message.ts'

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json'; readonly schema?: JsonObject; readonly name?: string; readonly description?: string }

/** A missing field is also missing in the request: there are no defaults. */
export interface CallParameters {
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly maxTokens?: number
  readonly reasoningEffort?: 'low' | 'medium' | 'high'
  readonly stopSequences?: readonly string[]
  readonly responseFormat?: ResponseFormat
  readonly metadata?: Readonly<Record<string, string>>
  /** Options in this provider's own terms. The fields above win. */
  readonly providerOptions?: JsonObject
}

export interface ModelCall {
  readonly provider: string
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly Descriptor[]
  readonly toolChoice?: ToolChoice
  readonly parameters: CallParameters
  /** Left out when tools are called natively. Otherwise the messages list the tools, and explain how to call them. */
  readonly calls?: LineCalling
}

/** As it may be stored and shown. */
export const observableCall = (call: ModelCall): Json => ({ ...call, messages: call.messages.map(observable) }) as unknown as Json

export const callDigest = (call: ModelCall): Digest => digestJson(observableCall(call))
