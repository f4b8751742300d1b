// Opens one connection to a tool server, within a time limit. A failed attempt leaves no process behind.
import type { Client, Transport } from '@modelcontextprotocol/client'
import { Fault } from '../../errors.ts'
import type { Secrets } from '../../ports.ts'
import { lentSecrets } from '../cli-agent/agent.ts'
import { scrubbedTail } from '../cli-agent/scrubbed-tail.ts'
import { scrubber } from '../scrub/scrub.ts'
import { secretsIn } from '../scrub/scrub-model.ts'
import { serverFault, type Witness } from './server-fault.ts'
import type { McpServer } from './settings.ts'
import { stdioTransport } from './stdio-transport.ts'
import { within } from './within.ts'

export interface Connected extends Witness {
  readonly client: Client
  close(): Promise<void>
}

export interface Connecting {
  readonly secrets: Secrets
  /** Aborted when the host stops: then no caller waits for the connection. */
  readonly stop: AbortSignal
  /** Called once when the server ends by itself. */
  readonly gone: () => void
}

export async function connect(name: string, server: McpServer, { secrets, stop, gone }: Connecting): Promise<Connected> {
  // Most hosts have no such server, and it is large.
  const sdk = await import('@modelcontextprotocol/client')
  const headers = await headersOf(name, server, secrets)
  const lent = [...secretsIn(process.env), ...lentSecrets(server, process.env), ...Object.values(headers).flatMap(withToken)]
  const scrub = scrubber(new Map([...((await secrets.known?.()) ?? []), ...lent.map((value): [string, string] => [value, '[REDACTED]'])]))
  const complaints = scrubbedTail(scrub)
  const command = server.url === undefined ? stdioTransport(sdk, server, complaints) : null
  const transport = command ?? httpTransport(sdk, server, headers)
  const witness: Witness = { name, server, scrub, complaints, over: () => command?.over ?? null }
  const { connectMs } = server
  const client = new sdk.Client(
    { name: 'onbook', version: '1' },
    // A command that knows nothing newer may say nothing at all to a question it does not know: then there is time for the older one.
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto', ...(command === null ? {} : { probe: { timeoutMs: Math.ceil(connectMs / 3) } }) },
    },
  )
  // A failed request reports its own error to its caller; other errors have no reader.
  client.onerror = () => {}
  const close = async (): Promise<void> => {
    await client.close()
    await transport.close()
  }
  try {
    await within({ server: name, ms: connectMs, stop }, client.connect(transport, { timeout: connectMs }))
    client.onclose = gone
    return { ...witness, client, close }
  } catch (error) {
    const fault = serverFault(witness, connectMs, error)
    await close()
    throw fault
  }
}

/** A server may repeat `Bearer abc` as `abc`. */
const withToken = (value: string): readonly string[] => [value, ...value.split(/\s+/).slice(1)]

async function headersOf(name: string, { headers }: McpServer, secrets: Secrets): Promise<Record<string, string>> {
  const found = Object.entries(headers).map(async ([header, id]): Promise<[string, string]> => {
    const value = await secrets.get(id)
    if (value === null) throw new Fault('tool_server_failed', { server: name, problem: `needs the secret ${id}, which does not exist` })
    return [header, value]
  })
  return Object.fromEntries(await Promise.all(found))
}

type Package = typeof import('@modelcontextprotocol/client')

/** Connects to a tool server by Streamable HTTP. Reads no answer beyond its limit, and follows no redirect to another origin. */
const httpTransport = (sdk: Package, { url = '', maxAnswerBytes }: McpServer, headers: Readonly<Record<string, string>>): Transport =>
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
