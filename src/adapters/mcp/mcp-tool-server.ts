// Folder: MCP servers: connected on demand, within limits, ended with everything they started. It adopts nothing and runs no schema of theirs.
// A tool server as the engine sees it: connected on demand, cached, and connected again after it has ended. Decides about no call.
import { isDeeperThan } from '../../core/digest/depth.ts'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { isSound } from '../../core/messages/content.ts'
import type { ForeignTool } from '../../core/tools/foreign-tools.ts'
import { Fault } from '../../errors.ts'
import type { Secrets, ToolListing, ToolServer } from '../../ports.ts'
import { type Connected, connect } from './connect.ts'
import { serverFault } from './server-fault.ts'
import { type McpServerSettings, mcpServer } from './settings.ts'
import { toolAnswer } from './tool-answer.ts'
import { listedTools } from './tool-list.ts'
import { within } from './within.ts'

/** After a failed attempt, callers within this time get the same failure without a new attempt. */
const LEFT_ALONE_MS = 1_000

export function mcpToolServer(name: string, settings: McpServerSettings, secrets: Secrets): ToolServer {
  const server = mcpServer(settings)
  const { connectMs, callMs, tenants, adopters } = server
  let connection: Promise<Connected> | null = null
  const stopping = new AbortController()
  const { signal: stop } = stopping

  const keep = (mine: Promise<Connected>): Promise<Connected> => {
    connection = mine
    mine.catch(() => setTimeout(() => forget(mine), LEFT_ALONE_MS).unref())
    return mine
  }
  const forget = (mine: Promise<Connected>): void => {
    if (connection === mine) connection = null
  }
  const connected = (): Promise<Connected> => {
    if (connection !== null) return connection
    const mine: Promise<Connected> = connect(name, server, { secrets, stop, gone: () => forget(mine) })
    return keep(mine)
  }

  const users = new WeakMap<Connected, number>()
  const failing = new Set<Connected>()
  /** One that fails is ended by the last who is at it: others may be answered yet. */
  const using = async <T>(signal: AbortSignal | undefined, work: (mine: Connected, kept: Promise<Connected>) => Promise<T>): Promise<T> => {
    const kept = connected()
    const mine = await (signal === undefined ? kept : within({ server: name, ms: null, stop: signal }, kept))
    users.set(mine, (users.get(mine) ?? 0) + 1)
    try {
      return await work(mine, kept)
    } finally {
      const left = users.get(mine)! - 1
      users.set(mine, left)
      if (left === 0 && failing.delete(mine)) await mine.close()
    }
  }

  return {
    tenants,
    adopters,
    list: signal =>
      using(signal, async (mine, kept) => {
        const ask = { timeout: connectMs, ...(signal === undefined ? {} : { signal }) }
        try {
          const listed = listedTools(name, server, cursor =>
            mine.client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, ask),
          )
          return scrubbedListing(mine, await within({ server: name, ms: connectMs, stop }, listed))
        } catch (error) {
          const fault = serverFault(mine, connectMs, error)
          if (signal?.aborted === true) throw fault
          // A server that cannot even list its tools is ended. The next caller connects again.
          failing.add(mine)
          if (connection === kept || connection === null) keep(Promise.reject(fault))
          throw fault
        }
      }),
    call: (tool, given, signal) =>
      using(signal, async mine => {
        const answer = await mine.client
          .callTool(
            { name: tool.name, arguments: given as Record<string, unknown> },
            // Named here, so that no schema of its answers is run in this process: it is foreign.
            { signal, timeout: callMs, maxTotalTimeout: callMs, toolDefinition: { name: tool.name, inputSchema: OBJECT } },
          )
          .catch(error => {
            throw callFault(mine, callMs, tool.name, error)
          })
        const output = isDeeperThan(answer as Json, MOST_DEPTH) ? null : mine.scrub.json(answer as Json)
        if (output !== null && isSound(output)) return toolAnswer(tool.name, output as typeof answer)
        throw new Fault('tool_server_failed', { server: name, problem: 'answered with what is too deep, or no JSON that could be kept' })
      }),
    async close() {
      stopping.abort(new Error('the host stops'))
      await Promise.all([...failing].map(mine => mine.close()))
      await connection?.then(
        mine => mine.close(),
        () => {}, // no connection to close
      )
    },
  }
}

const scrubbedListing = ({ scrub }: Connected, { tools, leftOut }: ToolListing): ToolListing => ({
  tools: tools.map(tool => scrubbedTool(scrub, tool as unknown as Json) as unknown as ForeignTool),
  leftOut: leftOut.map(scrub.text),
})

/** Fields of a schema that describe, and do not constrain. */
const TOLD = ['description', 'title', '$comment', 'default', 'examples']

/** Descriptions of tools go into prompts. The names of a tool and its arguments are not changed, because calls use them. */
function scrubbedTool(scrub: Connected['scrub'], value: Json): Json {
  if (Array.isArray(value)) return value.map(one => scrubbedTool(scrub, one))
  if (!isObject(value)) return value
  // Under `properties` the same words are names of arguments, whose schemas are objects.
  const scrubbedField = ([key, inner]: [string, Json]): Json =>
    TOLD.includes(key) && !isObject(inner) ? scrub.json(inner) : scrubbedTool(scrub, inner)
  return Object.fromEntries(Object.entries(value).map(entry => [entry[0], scrubbedField(entry)]))
}

/** A number is what JSON-RPC answers with: the server lives, and refuses this. */
function callFault(mine: Connected, ms: number, tool: string, error: unknown): Fault {
  const { code, message } = error as { readonly code?: unknown; readonly message: string }
  return typeof code === 'number'
    ? new Fault('tool_error', { tool, said: mine.scrub.text(message).slice(0, MOST_SAID) })
    : serverFault(mine, ms, error)
}

const MOST_SAID = 4_000
const MOST_DEPTH = 64
const OBJECT = { type: 'object' } as const
