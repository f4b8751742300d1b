// Binds adopted tools of other servers, while the server still lists exactly the adopted descriptor. No other tool of a server is bound.
import { type Adoption, type ForeignTool, hintsReading, pinOf } from '../../core/tools/foreign-tools.ts'
import { Fault } from '../../errors.ts'
import type { Binding, Store, ToolServer } from '../../ports.ts'
import { adoptedTool, loadAdoptions } from './adoptions.ts'

export type ToolServers = ReadonlyMap<string, ToolServer>

/** The bindings for tools of other servers of a tenant, by name, from the current record. Asks no server. */
export type AdoptedTools = (tenant: string) => Promise<ReadonlyMap<string, Binding>>

export const adoptedTools =
  (store: Store, servers: ToolServers): AdoptedTools =>
  async tenant => {
    const bound = new Map<string, Binding>()
    if (servers.size === 0) return bound
    for (const [name, adoption] of await loadAdoptions(store)) {
      const server = servers.get(adoption.server)
      if (server?.tenants.includes(tenant) !== true) continue
      const tool = await adoptedTool(store, adoption)
      if (tool !== null) bound.set(name, bindingOf(name, adoption, tool, server))
    }
    return bound
  }

function bindingOf(name: string, adoption: Adoption, tool: ForeignTool, server: ToolServer): Binding {
  const { description, inputSchema } = tool
  const changed = async (signal?: AbortSignal): Promise<string | null> => changeOf(adoption, (await server.list(signal)).tools)
  return {
    // Not `reads`, whatever it hints: it runs as the user of the host, who may change any repo there is.
    descriptor: { name, description, inputSchema },
    confirmedReading: adoption.reads === true && hintsReading(tool),
    // A server that does not answer counts as unchanged: the call itself reports the problem.
    unbound: signal =>
      changed(signal).then(
        problem => (problem === null ? null : `${adoption.server} ${problem}`),
        () => null,
      ),
    async run({ arguments: given }, signal) {
      // Checked again: the gate could not ask a server that was down, and time may have passed since.
      const problem = await changed(signal)
      if (problem !== null) throw new Fault('tool_server_failed', { server: adoption.server, problem })
      return server.call(tool, given, signal)
    },
  }
}

function changeOf({ server, tool, descriptor }: Adoption, listed: readonly ForeignTool[]): string | null {
  const found = listed.find(({ name }) => name === tool)
  if (found === undefined) return `no longer lists ${tool}`
  return pinOf(found) === descriptor
    ? null
    : `lists ${tool} otherwise than it was adopted: see "onbook tools", then "onbook tools adopt ${server} ${tool}"`
}
