// Types of /v1/policy.
import type { JsonValue } from './prompts.ts'

export interface WireGrant {
  /** The number of the grant, from 1, as reasons cite it. */
  readonly grant: number
  /** The line in the operator's file where the grant begins; null when it is unknown. */
  readonly line: number | null
  readonly tools: readonly string[]
  readonly agents?: readonly string[]
  readonly roles?: readonly string[]
  readonly modes?: readonly ('planning' | 'implementation')[]
  readonly arguments?: Readonly<Record<string, readonly (string | number | boolean)[]>>
  readonly approval?: boolean | { readonly by?: readonly string[]; readonly expireAfterMs?: number }
  readonly deny?: boolean
}

/** The operator's rules for the tenant of the caller. */
export interface PolicyDescription {
  readonly grants: readonly WireGrant[]
  /** Workspaces that sessions may read; null for all workspaces of the tenant. */
  readonly workspaces:
    | readonly {
        readonly sessions?: readonly string[]
        readonly workspaces: readonly string[]
        readonly operations?: readonly string[]
        readonly paths?: readonly string[]
      }[]
    | null
  /** Secrets that preludes of workspaces may put into prompts. */
  readonly secrets: readonly {
    readonly secrets: readonly string[]
    readonly workspaces: readonly string[]
    readonly agents?: readonly string[]
  }[]
  readonly offer: readonly string[]
  readonly approvals: { readonly expireAfterMs: number | null }
  readonly planningCommands: readonly string[]
  readonly orchestrator: { readonly asks: boolean }
}

export interface ExplainRequest {
  readonly tool: string
  /** Not needed for a node of a run, which has its own agent, role and mode. */
  readonly agent?: string
  readonly role?: string
  readonly mode?: 'planning' | 'implementation'
  readonly arguments?: Readonly<Record<string, JsonValue>>
  /** Both are given, or neither. */
  readonly runId?: string
  readonly nodeId?: string
}

export interface ExplainedPolicy {
  readonly tool: string
  readonly tenant: string
  readonly agent: string
  readonly role: string | null
  readonly mode: 'planning' | 'implementation' | null
  /** The decision when every unknown condition is assumed to hold. */
  readonly decision: 'allowed' | 'refused' | 'waiting'
  readonly conditions: readonly {
    readonly condition: string
    readonly outcome: 'passed' | 'failed' | 'not_reached' | 'not_applicable' | 'unknown'
    readonly reason: string
  }[]
  readonly grants: readonly {
    readonly grant: number
    readonly line: number | null
    readonly outcome: 'decides' | 'lacks' | 'not_reached'
    readonly reason: string
  }[]
  /** Who may approve, and the time limit of the approval. */
  readonly asks: { readonly by: readonly string[] | null; readonly expireAfterMs: number | null } | null
}
