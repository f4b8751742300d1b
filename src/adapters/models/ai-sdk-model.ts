// A model for pack tests over a real provider, through the AI SDK. The optional package is loaded only when a model is named.
import type { LanguageModelMiddleware } from 'ai'
import { Fault } from '../../errors.ts'
import type { Model } from '../../ports.ts'
import { providerReason } from '../chat/failure.ts'
import { scrubber } from '../scrub/scrub.ts'
import { secretsIn } from '../scrub/scrub-model.ts'
import { languageModel, load, PROVIDERS } from './ai-sdk-providers.ts'

export async function aiSdkModel(name: string): Promise<Model> {
  const [provider = '', ...rest] = name.split(':')
  const model = rest.join(':')
  if (!PROVIDERS.has(provider) || model === '') throw new Fault('model_unknown', { model: name, known: [...PROVIDERS.keys()] })
  const { generateText, wrapLanguageModel } = await load(() => import('ai'), 'ai')
  // A redirect would carry the prompt to wherever it points.
  const language = await languageModel(provider, model, (address, init) => fetch(address, { ...init, redirect: 'manual' }))
  return {
    name,
    async complete({ messages }, signal) {
      const [system, user] = messages
      // The SDK retries on its own, and forgets the error when it is aborted meanwhile.
      let last: Error | undefined
      const wrapGenerate: LanguageModelMiddleware['wrapGenerate'] = async ({ doGenerate }) => {
        try {
          return await doGenerate()
        } catch (error) {
          if (!signal.aborted) last = error as Error
          throw error
        }
      }
      try {
        const { text } = await generateText({
          model: wrapLanguageModel({ model: language, middleware: { specificationVersion: language.specificationVersion, wrapGenerate } }),
          system: system!.content,
          prompt: user!.content,
          abortSignal: signal,
          maxRetries: 2,
        })
        return text
      } catch (error) {
        const cause = signal.aborted ? (last ?? signal.reason) : error
        if (cause === signal.reason) throw cause
        throw new Fault(
          'model_failed',
          {
            model: name,
            reason: providerReason(cause, scrubber(new Map(secretsIn(process.env).map(value => [value, '[REDACTED]']))).text),
          },
          { cause },
        )
      }
    },
  }
}
