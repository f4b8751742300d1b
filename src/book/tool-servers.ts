// The MCP servers in the host's settings. A server is started on first use.
import { mcpToolServer } from '../adapters/mcp/mcp-tool-server.ts'
import type { McpServerSettings } from '../adapters/mcp/settings.ts'
import type { ToolServers } from '../engine/tools/adopted-tools.ts'
import type { Secrets } from '../ports.ts'
import { hostConfigOf } from './host-config.ts'
import type { Settings } from './settings.ts'

/** @param secrets of the operator. Secrets of other tenants are never sent to a server. */
export const toolServers = (settings: Settings, secrets: Secrets): ToolServers =>
  new Map(
    Object.entries(hostConfigOf(settings).mcpServers).map(([name, settings]) => [
      name,
      mcpToolServer(name, settings as McpServerSettings, secrets),
    ]),
  )
