// An OpenAI-compatible server on 127.0.0.1 that answers with text, for tests of pack tests.
import type { ServerResponse } from 'node:http'
import { loopbackChat } from './loopback-chat.ts'

export interface ChatRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

export interface LoopbackProvider {
  /** To be used as base URL. */
  readonly url: string
  readonly requests: readonly { readonly path: string; readonly key: string | undefined; readonly body: ChatRequest }[]
  close(): Promise<void>
}

/** `answer` returns the text to say, or takes the response into its own hands and returns nothing. */
export async function loopbackProvider(
  answer: (request: ChatRequest, response: ServerResponse) => string | undefined,
): Promise<LoopbackProvider> {
  const { url, heard, close } = await loopbackChat('openai', (response, { body }) => {
    const text = answer(JSON.parse(body), response)
    return text === undefined ? undefined : { pieces: [text] }
  })
  return {
    url,
    get requests() {
      return heard.map(({ path, headers, body }) => ({ path, key: headers.authorization, body: JSON.parse(body) as ChatRequest }))
    },
    close,
  }
}
