// Builds a model request from a recorded step: reads every digest and fills in nothing. An unreadable object is a failure with a code.
import type { Digest, Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import type { ChatMessage } from '../../core/messages/message.ts'
import type { CallParameters, ModelCall } from '../../core/messages/model-call.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { type HistoryNode, readHistoryNode } from '../../core/session/history.ts'
import { collectTools, readTools, type ToolSet } from '../../core/tools/read-tools.ts'
import { messagesAround, type StepRequest } from '../../core/turn/materialize.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { rememberedContent } from '../reading/remembered.ts'

export type BuiltCall =
  /** `sizes`: of how many messages each digest is made, in order. */
  | { readonly ok: true; readonly call: ModelCall; readonly sizes: readonly number[] }
  | { readonly ok: false; readonly code: string; readonly message: string }

export async function buildCall(store: Store, tenant: string, request: StepRequest): Promise<BuiltCall> {
  try {
    return { ok: true, ...(await callOf(store, tenant, request)) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ok: false, code: error.code, message: error.message }
  }
}

async function callOf(store: Store, tenant: string, request: StepRequest): Promise<{ call: ModelCall; sizes: readonly number[] }> {
  const read = (digest: Digest) => store.object(tenant, digest)
  const defaults = await jsonOf(read, request.parameters.defaults)
  const { provider, model, toolChoice, defaults: _, responseFormat, providerOptions, ...given } = request.parameters
  const { toolChoice: usualChoice, responseFormat: usualFormat, ...usual } = (defaults ?? {}) as JsonObject
  const format = (await jsonOf(read, responseFormat)) ?? (isObject(usualFormat) ? usualFormat : null)
  const options = await jsonOf(read, providerOptions)
  const messages: ChatMessage[] = []
  const sizes: number[] = []
  for (const digest of await messageDigests(store, tenant, request)) {
    const found = await messagesIn(store, tenant, digest)
    messages.push(...found)
    sizes.push(found.length)
  }
  const tools = await toolsIn(read, request.tools ?? [], toolChoice ?? (usualChoice as ModelCall['toolChoice']))
  const parameters: CallParameters = {
    ...(usual as CallParameters),
    ...given,
    ...(format === null ? {} : { responseFormat: { type: 'json', schema: format } }),
    ...(options === null ? {} : { providerOptions: options }),
  }
  const calls = request.calls === undefined ? {} : { calls: request.calls }
  return { call: { provider, model, messages, ...tools, parameters, ...calls }, sizes }
}

type Read = (digest: Digest) => Promise<Uint8Array>

async function jsonOf(read: Read, digest: Digest | undefined): Promise<JsonObject | null> {
  if (digest === undefined) return null
  const value = parse(new TextDecoder().decode(await read(digest)))
  if (!isObject(value)) throw new Fault('object_malformed', { digest, problem: 'it must be a JSON object' })
  return value
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

export async function messageDigests(store: Store, tenant: string, request: StepRequest): Promise<readonly Digest[]> {
  const pieces: (readonly Digest[])[] = []
  for (let at = request.history.head; at !== null; ) {
    const { messages, previous } = await historyPiece(store, tenant, at)
    pieces.push(messages)
    at = previous
  }
  return messagesAround(request, pieces.reverse().flat())
}

/** Closed pieces of a history never change, so a long one is read once. */
const historyPiece = (store: Store, tenant: string, digest: Digest): Promise<HistoryNode> =>
  rememberedContent(
    store,
    JSON.stringify(['history', tenant, digest]),
    async () => {
      const node = readHistoryNode(new TextDecoder().decode(await store.object(tenant, digest)))
      if (node === null) throw new Fault('object_malformed', { digest, problem: 'it is not a message of a history' })
      return node
    },
    node => 2 * JSON.stringify(node).length,
  )

export const messagesIn = (store: Store, tenant: string, digest: Digest): Promise<readonly ChatMessage[]> =>
  rememberedContent(
    store,
    JSON.stringify(['messages', tenant, digest]),
    async () => {
      const found = readMessages(await store.object(tenant, digest))
      if (!found.ok) throw new Fault('object_malformed', { digest, problem: found.problem.message })
      return found.messages
    },
    messages => 2 * JSON.stringify(messages).length,
  )

export async function toolsIn(read: Read, digests: readonly Digest[], chosen?: ModelCall['toolChoice']): Promise<ToolSet> {
  const sets: ToolSet[] = []
  for (const digest of digests) {
    const found = readTools(await read(digest))
    if (!found.ok) throw new Fault('object_malformed', { digest, problem: found.problem.message })
    sets.push(found)
  }
  const collected = collectTools(sets, chosen)
  if (!collected.ok) throw new Fault('object_malformed', { digest: digests.at(-1) ?? '', problem: collected.problem.message })
  const { tools, toolChoice } = collected
  return toolChoice === undefined ? { tools } : { tools, toolChoice }
}
