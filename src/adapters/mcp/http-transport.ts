// Connects to a tool server by Streamable HTTP. Reads no answer beyond its limit, and follows no redirect to another origin.
import type { Transport } from '@modelcontextprotocol/client'
import type { McpServer } from './settings.ts'

type Package = typeof import('@modelcontextprotocol/client')

export const httpTransport = (
  sdk: Package,
  { url = '', maxAnswerBytes }: McpServer,
  headers: Readonly<Record<string, string>>,
): Transport =>
  new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: async (address, init) => bounded(await fetch(address, init), maxAnswerBytes),
  }) as Transport

/** The same answer, broken off where it becomes too large. */
function bounded(answer: Response, most: number): Response {
  if (answer.body === null) return answer
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes > most) controller.error(new Error(`it answered with more than ${most} bytes`))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = answer
  return new Response(answer.body.pipeThrough(counted), { status, statusText, headers })
}
