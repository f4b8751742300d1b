// A real provider for sessions, through the AI SDK. One call is one request; a secret leaves in that request and nowhere else.
import type { Json } from '../../core/digest/digest.ts'
import { filled, slotsIn } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Answered, Receipt } from '../../core/messages/receipt.ts'
import type { Signature } from '../../core/record/checkpoint.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions, ChatModel, Delta, Keyring, Secrets } from '../../ports.ts'
import { type LanguageModel, languageModel, PROVIDERS } from '../ai-sdk-providers.ts'
import { SHORTEST, scrubber } from '../scrub.ts'
import { secretsIn } from '../scrub-model.ts'
import { type Answer, answerOf, collectAnswer } from './ai-sdk-answer.ts'
import { optionsOf } from './ai-sdk-options.ts'
import { promptOf, type SdkOptions } from './ai-sdk-prompt.ts'
import { failureOf } from './failure.ts'

/** What must not be seen, with what is seen in its place. */
type Known = Map<string, string>

export function aiSdkChat(): ChatModel {
  return {
    async call(call, options) {
      const known: Known = new Map(secretsIn(process.env).map(value => [value, '[REDACTED]']))
      const sent: Sent = {}
      let receipt: Receipt
      try {
        receipt = await answer(call, options, known, sent)
      } catch (error) {
        receipt = failureOf(error, options.signal, Date.now)
      }
      const clean = scrubber(known).json(receipt as unknown as Json) as unknown as Receipt
      return sent.seal === undefined ? clean : { ...clean, requestSeal: sent.seal }
    },
  }
}

async function answer(call: ModelCall, options: CallOptions, known: Known, sent: Sent): Promise<Answered> {
  const { provider, model, messages } = call
  options.signal.throwIfAborted()
  if (messages.length === 0) throw new Fault('messages_empty', {})
  checkKey(provider)
  const secrets = await secretsFor(call, options.secrets)
  for (const [id, value] of secrets) known.set(value, `[REDACTED:${id}]`)
  const { prompt, warnings } = await promptOf(
    messages.map(message => filled(message, secrets)),
    options.object,
  )
  const { options: asked, warnings: unsent } = optionsOf(call)
  const language = await languageModel(provider, model, sealing(options.seal, sent))
  const request = { prompt, ...asked, abortSignal: options.signal }
  const { onDelta } = options
  const said = onDelta === undefined ? answerOf(await language.doGenerate(request)) : await stream(language, request, known, onDelta)
  return { status: 'ok', ...said, warnings: [...warnings, ...unsent, ...said.warnings], providerId: provider }
}

function checkKey(provider: string): void {
  const { key = '', keyOptional = true } = PROVIDERS.get(provider) ?? {}
  if (!keyOptional && (process.env[key] ?? '') === '') throw new Fault('model_key_missing', { provider, variable: key })
}

async function secretsFor({ messages }: ModelCall, secrets: Secrets): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const id of slotsIn(messages)) {
    const value = await secrets.get(id)
    if (value === null || value === '') throw new Fault('secret_missing', { id })
    // It would have to be left in replies.
    if (value.length < SHORTEST) throw new Fault('secret_short', { id, least: SHORTEST })
    found.set(id, value)
  }
  return found
}

async function stream(language: LanguageModel, request: SdkOptions, known: Known, onDelta: (delta: Delta) => void): Promise<Answer> {
  const scrub = scrubber(known)
  const shown = { text: scrub.stream(), reasoning: scrub.stream() }
  const show = (kind: Delta['kind'], text: string) => {
    if (text !== '') onDelta({ kind, text })
  }
  const { stream } = await language.doStream(request)
  const said = await collectAnswer(stream, ({ kind, text }) => show(kind, shown[kind].push(text)))
  show('reasoning', shown.reasoning.end())
  show('text', shown.text.end())
  return said
}

interface Sent {
  seal?: Signature
}

/** Sees the very bytes that go out. Follows no redirect: it would carry key and secrets to wherever that points. */
const sealing =
  (seal: Keyring['seal'] | undefined, sent: Sent): typeof fetch =>
  async (address, init) => {
    if (seal !== undefined) sent.seal = await seal(Buffer.from(init?.body as string, 'utf8'))
    return fetch(address, { ...init, redirect: 'manual' })
  }
