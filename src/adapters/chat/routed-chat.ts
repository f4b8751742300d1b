// Folder: Models for turns: scripted, recorded, providers through the AI SDK. They do not retry and keep no secret.
// Routes a session's calls to the model of its provider. Each model is created on first use.
import { Fault } from '../../errors.ts'
import type { ChatModel } from '../../ports.ts'
import { failureOf } from './failure.ts'

export type MakeChat = () => ChatModel | Promise<ChatModel>

/**
 * @param others for every provider that is not among them
 * @param resumes what is known of them before they are made
 * @param acts likewise
 */
export function routedChat(
  byProvider: Readonly<Record<string, MakeChat>>,
  others: MakeChat,
  resumes: (provider: string) => boolean = () => false,
  acts: (provider: string) => boolean = () => false,
): ChatModel {
  const made = new Map<MakeChat, Promise<ChatModel>>()
  const modelFor = (provider: string): Promise<ChatModel> => {
    const make = Object.hasOwn(byProvider, provider) ? byProvider[provider]! : others
    const found = made.get(make) ?? Promise.resolve().then(make)
    made.set(make, found)
    // A missing package may be installed the next time.
    found.catch(() => made.delete(make))
    return found
  }
  const ready = new Set<string>()
  return {
    async call(call, options) {
      try {
        const model = await modelFor(call.provider)
        return await model.call(call, options)
      } catch (error) {
        return failureOf(error, options.signal, Date.now)
      }
    },
    resumes,
    acts,
    async unready(provider) {
      if (ready.has(provider)) return null
      try {
        const model = await modelFor(provider)
        const lacking = (await model.unready?.(provider)) ?? null
        if (lacking === null) ready.add(provider)
        return lacking
      } catch (error) {
        if (error instanceof Fault) return error
        throw error
      }
    },
    async calls(provider) {
      // Why it cannot be made is said when it is called.
      const model = await modelFor(provider).catch(() => null)
      return (await model?.calls?.(provider)) ?? 'native'
    },
  }
}
