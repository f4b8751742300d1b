// An OpenAI-compatible server on 127.0.0.1, for tests of real provider code without a provider.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  const requests: { path: string; key: string | undefined; body: ChatRequest }[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as ChatRequest
    requests.push({ path: request.url ?? '', key: request.headers.authorization, body })
    const text = answer(body, response)
    if (text !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(completion(body.model, text)))
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise(done => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const completion = (model: string, content: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 0,
  model,
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
