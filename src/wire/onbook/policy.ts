// /v1/policy as it is on the wire. Types only.
import type { JsonValue } from './prompts.ts'

export interface WireGrant {
  /** From 1, as reasons name it. */
  readonly grant: number
  /** Where it begins in the operator's file; null when that is not known. */
  readonly line: number | null
  readonly tools: readonly string[]
  readonly agents?: readonly string[]
  readonly roles?: readonly string[]
  readonly modes?: readonly ('planning' | 'implementation')[]
  readonly arguments?: Readonly<Record<string, readonly (string | number | boolean)[]>>
  readonly approval?: boolean | { readonly by?: readonly string[]; readonly expireAfterMs?: number }
  readonly deny?: boolean
}

/** What the operator allows the tenant that asks. */
export interface PolicyDescription {
  readonly grants: readonly WireGrant[]
  /** What sessions may read; null: all that the tenant has. */
  readonly workspaces:
    | readonly {
        readonly sessions?: readonly string[]
        readonly workspaces: readonly string[]
        readonly operations?: readonly string[]
        readonly paths?: readonly string[]
      }[]
    | null
  /** Which secrets preludes of workspaces may put into prompts. */
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
  /** Not needed for a node of a run, which has its own. */
  readonly agent?: string
  readonly role?: string
  readonly mode?: 'planning' | 'implementation'
  readonly arguments?: Readonly<Record<string, JsonValue>>
  /** Both, or neither. */
  readonly runId?: string
  readonly nodeId?: string
}

export interface ExplainedPolicy {
  readonly tool: string
  readonly tenant: string
  readonly agent: string
  readonly role: string | null
  readonly mode: 'planning' | 'implementation' | null
  /** With all that is not known taken to hold. */
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
  /** Whom to ask, and for how long. */
  readonly asks: { readonly by: readonly string[] | null; readonly expireAfterMs: number | null } | null
}
