// A real provider through the AI SDK. Optional: nothing of it is loaded, or needs to be installed, until a model is named.
import type { LanguageModelMiddleware, wrapLanguageModel } from 'ai'
import { Fault } from '../errors.ts'
import type { Model } from '../ports.ts'

type Provider = (model: string) => Promise<Parameters<typeof wrapLanguageModel>[0]['model']>

const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: async model => {
    const { createOpenAI } = await load(() => import('@ai-sdk/openai'), '@ai-sdk/openai')
    return createOpenAI(baseUrl('OPENAI_BASE_URL')).chat(model)
  },
  anthropic: async model => {
    const { createAnthropic } = await load(() => import('@ai-sdk/anthropic'), '@ai-sdk/anthropic')
    return createAnthropic(baseUrl('ANTHROPIC_BASE_URL'))(model)
  },
  google: async model => {
    const { createGoogleGenerativeAI } = await load(() => import('@ai-sdk/google'), '@ai-sdk/google')
    return createGoogleGenerativeAI(baseUrl('GOOGLE_BASE_URL'))(model)
  },
  'openai-compatible': async model => {
    const { createOpenAICompatible } = await load(() => import('@ai-sdk/openai-compatible'), '@ai-sdk/openai-compatible')
    const url = process.env.OPENAI_COMPATIBLE_BASE_URL
    if (url === undefined)
      throw new Fault('model_failed', { model: `openai-compatible:${model}`, reason: 'set OPENAI_COMPATIBLE_BASE_URL to its address' })
    const key = process.env.OPENAI_COMPATIBLE_API_KEY
    return createOpenAICompatible({ name: 'openai-compatible', baseURL: url, ...(key === undefined ? {} : { apiKey: key }) })(model)
  },
}

export async function aiSdkModel(name: string): Promise<Model> {
  const [provider = '', ...rest] = name.split(':')
  const model = rest.join(':')
  const create = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined
  if (create === undefined || model === '') throw new Fault('model_unknown', { model: name, known: Object.keys(PROVIDERS) })
  const { generateText, wrapLanguageModel } = await load(() => import('ai'), 'ai')
  const language = await create(model)
  return {
    name,
    async complete({ messages }, signal) {
      const [system, user] = messages
      // The SDK tries again on its own, and forgets what went wrong when it is told to stop meanwhile.
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
          model: wrapLanguageModel({ model: language, middleware: { specificationVersion: 'v3', wrapGenerate } }),
          system: system!.content,
          prompt: user!.content,
          abortSignal: signal,
          maxRetries: 2,
        })
        return text
      } catch (error) {
        const cause = signal.aborted ? (last ?? signal.reason) : error
        if (cause === signal.reason) throw cause
        throw new Fault('model_failed', { model: name, reason: (cause as Error).message }, { cause })
      }
    },
  }
}

const baseUrl = (variable: string): { baseURL?: string } => (process.env[variable] === undefined ? {} : { baseURL: process.env[variable] })

async function load<T>(bring: () => Promise<T>, name: string): Promise<T> {
  try {
    return await bring()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const packages = name === 'ai' ? 'ai@6' : `ai@6 ${name}@${name === '@ai-sdk/openai-compatible' ? 2 : 3}`
    throw new Fault('package_missing', { package: name, install: `npm install ${packages}` }, { cause: error })
  }
}
