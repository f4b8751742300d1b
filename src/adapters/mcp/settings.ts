// The settings of a tool server, with defaults. Starts nothing.

export interface McpServerSettings {
  /** The program; no shell reads it. */
  readonly command?: string
  readonly args?: readonly string[]
  /** Names of variables that it is given besides those that every command gets. */
  readonly env?: readonly string[]
  readonly cwd?: string
  /** Streamable HTTP, instead of a command. */
  readonly url?: string
  /** Names of headers, and the ids of the secrets that are sent in them. */
  readonly headers?: Readonly<Record<string, string>>
  readonly tenants?: readonly string[]
  readonly adopters?: readonly string[]
  readonly connectMs?: number
  readonly callMs?: number
  readonly maxTools?: number
  readonly maxDescriptorBytes?: number
  readonly maxAnswerBytes?: number
}

export type McpServer = Required<Omit<McpServerSettings, 'command' | 'url'>> & Pick<McpServerSettings, 'command' | 'url'>

const DEFAULTS: McpServer = {
  args: [],
  env: [],
  cwd: '.',
  headers: {},
  tenants: ['default'],
  adopters: ['default'],
  connectMs: 10_000,
  callMs: 60_000,
  maxTools: 200,
  maxDescriptorBytes: 32 * 1024,
  maxAnswerBytes: 4 * 1024 * 1024,
}

export const mcpServer = (settings: McpServerSettings): McpServer => ({ ...DEFAULTS, ...settings })
