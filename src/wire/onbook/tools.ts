// /v1/tools as it is on the wire. Types only.

export interface ToolSummary {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Null for the host's own. */
  readonly server: string | null
  /** `bound`: the host's own. Of a server's tools only those that are `adopted` run; `missing`: adopted, and no longer listed. */
  readonly state: 'bound' | 'adopted' | 'new' | 'changed' | 'missing'
  /** Whether the host shows it to a model when nothing else names any. */
  readonly offered: boolean
  readonly repeatable: boolean
  readonly granted: boolean
  /** It is not granted to whom it is asked for, but to some agents or roles. */
  readonly grantedToSome?: boolean
  readonly approval: boolean
  readonly reason: string
  /** Of a server's tools: what the server calls it, and the digest of what it says of it now. */
  readonly tool?: string
  readonly descriptor?: string
  /** `reads`: whoever adopted it confirmed that it only reads. */
  readonly adopted?: { readonly descriptor: string; readonly by: string; readonly at: string; readonly reads: boolean }
  /** From what was adopted to what is listed. */
  readonly difference?: string
}

export interface ToolServerSummary {
  readonly server: string
  /** Null when it answers. */
  readonly problem: string | null
  /** What it lists and cannot be used, in sentences. */
  readonly leftOut: readonly string[]
}

export interface ToolOverview {
  readonly tools: readonly ToolSummary[]
  readonly servers: readonly ToolServerSummary[]
}

export interface AdoptToolsRequest {
  readonly server: string
  /** All that it lists, when none is named. */
  readonly tools?: readonly string[]
  /** With one tool named: what it has to be. */
  readonly descriptor?: string
  /** Confirms that the tools only read: they may be used in planning. */
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
