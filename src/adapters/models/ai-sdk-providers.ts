// The providers that the AI SDK supports, and the environment variables that configure them. A package is loaded only when a model is
// created.
import type { wrapLanguageModel } from 'ai'
import { Fault } from '../../errors.ts'

export type LanguageModel = Parameters<typeof wrapLanguageModel>[0]['model']
type Fetch = typeof globalThis.fetch

interface Provider {
  /** The variables that hold its key and, where it is not the usual one, its address. */
  readonly key: string
  readonly address: string
  /** Some servers of one's own ask for none. */
  readonly keyOptional: boolean
  readonly create: (model: string, settings: Settings) => Promise<LanguageModel>
}

interface Settings {
  readonly baseURL?: string
  readonly apiKey?: string
  readonly fetch?: Fetch
}

export const PROVIDERS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  [
    'openai',
    {
      key: 'OPENAI_API_KEY',
      address: 'OPENAI_BASE_URL',
      keyOptional: false,
      create: async (model, settings) => {
        const { createOpenAI } = await load(() => import('@ai-sdk/openai'), '@ai-sdk/openai')
        return createOpenAI(settings).chat(model)
      },
    },
  ],
  [
    'anthropic',
    {
      key: 'ANTHROPIC_API_KEY',
      address: 'ANTHROPIC_BASE_URL',
      keyOptional: false,
      create: async (model, settings) => {
        const { createAnthropic } = await load(() => import('@ai-sdk/anthropic'), '@ai-sdk/anthropic')
        return createAnthropic(settings)(model)
      },
    },
  ],
  [
    'google',
    {
      key: 'GOOGLE_GENERATIVE_AI_API_KEY',
      address: 'GOOGLE_BASE_URL',
      keyOptional: false,
      create: async (model, settings) => {
        const { createGoogleGenerativeAI } = await load(() => import('@ai-sdk/google'), '@ai-sdk/google')
        return createGoogleGenerativeAI(settings)(model)
      },
    },
  ],
  [
    'openai-compatible',
    {
      key: 'OPENAI_COMPATIBLE_API_KEY',
      address: 'OPENAI_COMPATIBLE_BASE_URL',
      keyOptional: true,
      create: async (model, { baseURL, ...settings }) => {
        const { createOpenAICompatible } = await load(() => import('@ai-sdk/openai-compatible'), '@ai-sdk/openai-compatible')
        if (baseURL === undefined)
          throw new Fault('model_address_missing', { provider: 'openai-compatible', variable: 'OPENAI_COMPATIBLE_BASE_URL' })
        return createOpenAICompatible({
          name: 'openai-compatible',
          baseURL,
          includeUsage: true,
          supportsStructuredOutputs: true,
          ...settings,
        })(model)
      },
    },
  ],
])

/** `model_key_missing` when a provider that asks for a key has none. */
export function checkKey(provider: string): void {
  const { key = '', keyOptional = true } = PROVIDERS.get(provider) ?? {}
  if (!keyOptional && (process.env[key] ?? '') === '') throw new Fault('model_key_missing', { provider, variable: key })
}

/** `model_unknown` when there is no such provider. Whether the key is right, or there at all, shows when it is asked. */
export async function languageModel(provider: string, model: string, fetch?: Fetch): Promise<LanguageModel> {
  const known = PROVIDERS.get(provider)
  if (known === undefined || model === '') throw new Fault('model_unknown', { model: `${provider}:${model}`, known: [...PROVIDERS.keys()] })
  const { [known.key]: apiKey, [known.address]: baseURL } = process.env
  return known.create(model, {
    // An empty variable is as good as none.
    ...(baseURL === undefined || baseURL === '' ? {} : { baseURL }),
    ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
    ...(fetch === undefined ? {} : { fetch }),
  })
}

export async function load<T>(bring: () => Promise<T>, name: string): Promise<T> {
  try {
    return await bring()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    // Newer majors want Node 22.
    const isNew = Number(process.versions.node.split('.')[0]) >= 22
    const major = (name === '@ai-sdk/openai-compatible' ? 2 : 3) + (isNew ? 1 : 0)
    const packages = [`ai@${isNew ? 7 : 6}`, ...(name === 'ai' ? [] : [`${name}@${major}`])].join(' ')
    throw new Fault('package_missing', { package: name, install: `npm install ${packages}` }, { cause: error })
  }
}
