// A server of tools without a process: it says again what it is given.
import type { ForeignTool } from '../../core/tools/foreign-tools.ts'
import type { ToolServer } from '../../ports.ts'

export const memoryToolServer = (tenants: readonly string[], ...names: readonly string[]): ToolServer => {
  const tools = names.map((name): ForeignTool => ({ name, description: 'Says it again.', inputSchema: { type: 'object' } }))
  return {
    tenants,
    adopters: tenants,
    list: async () => ({ tools, leftOut: [] }),
    call: async (_, given) => given,
    close: async () => {},
  }
}
