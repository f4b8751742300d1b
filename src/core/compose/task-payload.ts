// The task of a node as plain data. The engine gathers it; `task.ts` turns it into text.
import type { Digest } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { NodeSettings } from '../gate/authorize.ts'

interface TaskNode {
  readonly id: string
  readonly label: string
  readonly alias?: string
  readonly role?: string
  readonly provider?: string
  readonly status?: string
}

interface TaskEdge {
  readonly from: string
  readonly to: string
  readonly type: 'handoff' | 'report'
  readonly bidirectional: boolean
  readonly label?: string
}

/** Context that was to be handed over with a message. Null when its text is not available. */
interface ContextPack {
  readonly ref: string
  readonly text: string | null
}

export interface Handoff {
  /** The id of the node that sent it. */
  readonly from: string
  readonly message: string
  readonly structured?: JsonObject
  readonly artifacts?: readonly { readonly type: string; readonly ref: string; readonly digest?: Digest }[]
  readonly status?: { readonly ok: boolean; readonly reason?: string }
  readonly response?: { readonly expectation: 'none' | 'optional' | 'required'; readonly replyTo?: string }
  readonly contextRef?: string
  readonly contextPacks?: readonly ContextPack[]
}

export interface Repository {
  readonly root: string
  readonly branch?: string
  readonly commit?: string
  readonly changedFiles?: readonly string[]
}

export interface TaskPayload {
  readonly runId: string
  /** The node that the task is for: one of `nodes`. */
  readonly nodeId: string
  readonly orchestration: 'auto' | 'interactive'
  /** Left out when a template of kind user describes the task. */
  readonly objective?: string
  readonly definitionOfDone?: string
  readonly inputs?: JsonObject
  /** In order of arrival. */
  readonly handoffs: readonly Handoff[]
  readonly repository?: Repository
  readonly settings: NodeSettings
  /** The capabilities that the role requests; left out without a role. */
  readonly requests?: readonly string[]
  readonly nodes: readonly TaskNode[]
  readonly edges: readonly TaskEdge[]
}
