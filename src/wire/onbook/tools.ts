// Types of /v1/tools.

export interface ToolSummary {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The MCP server of the tool; null for the host's own tools. */
  readonly server: string | null
  /** `bound`: the host's own tool. A tool of a server runs only when it is `adopted`. `missing`: adopted, but no longer listed. */
  readonly state: 'bound' | 'adopted' | 'new' | 'changed' | 'missing'
  /** Whether the host offers it to a model by default. */
  readonly offered: boolean
  readonly repeatable: boolean
  readonly granted: boolean
  /** The tool is not granted in general, but to some agents or roles. */
  readonly grantedToSome?: boolean
  readonly approval: boolean
  readonly reason: string
  /** The tool's name on its server, and the digest of its present descriptor. */
  readonly tool?: string
  readonly descriptor?: string
  /** `reads`: the person who adopted the tool confirmed that it only reads. */
  readonly adopted?: { readonly descriptor: string; readonly by: string; readonly at: string; readonly reads: boolean }
  /** The difference between the adopted descriptor and the listed one. */
  readonly difference?: string
}

export interface ToolServerSummary {
  readonly server: string
  /** Why the server does not answer; null when it does. */
  readonly problem: string | null
  /** Listed tools that cannot be used, each with the reason. */
  readonly leftOut: readonly string[]
}

export interface ToolOverview {
  readonly tools: readonly ToolSummary[]
  readonly servers: readonly ToolServerSummary[]
}

export interface AdoptToolsRequest {
  readonly server: string
  /** Default: all tools that the server lists. */
  readonly tools?: readonly string[]
  /** The expected descriptor, when one tool is named. */
  readonly descriptor?: string
  /** Confirms that the tools only read. Nodes in planning mode may then use them. */
  readonly reads?: boolean
}

export interface AdoptedTool {
  readonly name: string
  readonly tool: string
  readonly descriptor: string
  readonly before: string | null
  readonly reads: boolean
}

export interface DropToolsRequest {
  readonly server: string
  readonly tools?: readonly string[]
}

export interface DroppedTool {
  readonly name: string
  readonly tool: string
}
