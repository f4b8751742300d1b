// A chat model for sessions over a real provider, through the AI SDK. One call is one request; a secret leaves the process only in that
// request.
import { filled } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Answered } from '../../core/messages/receipt.ts'
import { type WireNames, wireNamesOf, withWireNames } from '../../core/tools/wire-names.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions, ChatModel, Delta, Keyring } from '../../ports.ts'
import { checkKey, type LanguageModel, languageModel, PROVIDERS } from '../models/ai-sdk-providers.ts'
import { secretsIn } from '../scrub/scrub-model.ts'
import { type Answer, answerOf, collectAnswer } from './ai-sdk-answer.ts'
import { optionsOf } from './ai-sdk-options.ts'
import { promptFor, promptOf, type SdkOptions } from './ai-sdk-prompt.ts'
import { fillSlots, type Known, type Sent, scrubbedDeltas, settleCall } from './settle-call.ts'
import { ANSWER_LIMITS, type AnswerLimits, type Watch, watched } from './watched-fetch.ts'

/**
 * @param limits overrides of the default limits
 * @param besides providers of other adapters: listed in the error for an unknown provider
 */
export function aiSdkChat(limits: Partial<AnswerLimits> = {}, besides: readonly string[] = []): ChatModel {
  return {
    acts: () => false,
    async unready(provider) {
      try {
        if (!PROVIDERS.has(provider)) throw new Fault('model_unknown', { model: provider, known: [...PROVIDERS.keys(), ...besides] })
        checkKey(provider)
        // Loads the package, and makes no request.
        await languageModel(provider, 'any')
        return null
      } catch (error) {
        if (error instanceof Fault) return error
        throw error
      }
    },
    call(call, options) {
      const known: Known = new Map(secretsIn(process.env).map(value => [value, '[REDACTED]']))
      return settleCall(options, known, async sent => {
        const { provider, model } = call
        if (!PROVIDERS.has(provider))
          throw new Fault('model_unknown', { model: `${provider}:${model}`, known: [...PROVIDERS.keys(), ...besides] })
        const watch = watched({ ...ANSWER_LIMITS, ...limits }, options.signal, options.onDelta !== undefined)
        try {
          return await answer(call, options, known, sent, watch)
        } finally {
          watch.end()
        }
      })
    },
  }
}

async function answer(recorded: ModelCall, options: CallOptions, known: Known, sent: Sent, watch: Watch): Promise<Answered> {
  const names = wireNamesOf(recorded)
  const call = withWireNames(recorded, names)
  const { provider, model, messages } = call
  options.signal.throwIfAborted()
  if (messages.length === 0) throw new Fault('messages_empty', {})
  checkKey(provider)
  const secrets = await fillSlots(call, options.secrets, known)
  const { prompt, warnings } = await promptOf(
    messages.map(message => filled(message, secrets)),
    options.object,
  )
  const { options: asked, warnings: unsent } = optionsOf(call)
  const language = await languageModel(provider, model, sealing(watch.fetch, options.seal, sent))
  const request = { prompt: promptFor(language, prompt), ...asked, abortSignal: watch.signal }
  const { onDelta } = options
  const said =
    onDelta === undefined
      ? answerOf(await language.doGenerate(request))
      : await stream(language, request, known, delta => onDelta(withRealName(delta, names)))
  const toolCalls = said.toolCalls.map(one => ({ ...one, toolName: names.real(one.toolName) }))
  return { status: 'ok', ...said, toolCalls, warnings: [...warnings, ...unsent, ...said.warnings], providerId: provider }
}

const withRealName = (delta: Delta, { real }: WireNames): Delta => (delta.kind === 'tool' ? { ...delta, name: real(delta.name) } : delta)

async function stream(language: LanguageModel, request: SdkOptions, known: Known, onDelta: (delta: Delta) => void): Promise<Answer> {
  const { show, end } = scrubbedDeltas(known, onDelta)
  const { stream } = await language.doStream(request)
  const said = await collectAnswer(stream, show)
  end()
  return said
}

/** Sees the very bytes that go out. */
const sealing =
  (send: typeof fetch, seal: Keyring['seal'] | undefined, sent: Sent): typeof fetch =>
  async (address, init) => {
    if (seal !== undefined) sent.seal = await seal(Buffer.from(init?.body as string, 'utf8'))
    return send(address, init)
  }
