// Folder: Workflow files: read, checked, defaults filled in. It runs nothing.
// A workflow in its internal form: nodes that are agents, and edges along which they hand over. Plain JSON, with all
// defaults filled in.
import type { ComposeStyle } from '../compose/compose-style.ts'
import type { Mode } from '../compose/mode.ts'
import type { Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { NodeSettings } from '../gate/authorize.ts'
import type { KindRefs } from '../resolve/layers.ts'
import type { ReasoningEffort } from '../session/config.ts'

export type Orchestration = 'auto' | 'interactive'

/** Null stops nothing. */
export interface Budget {
  readonly steps: number | null
  readonly tokens: number | null
  readonly milliseconds: number | null
  /** Steps of one node before the run is paused. Left out by runs that were started before there was such a limit. */
  readonly stepsPerNode?: number | null
}

/** The model settings of a node or an agent. Null leaves the choice to a lower layer. */
export interface ModelChoice {
  readonly provider: string | null
  readonly model: string | null
  readonly maxTokens: number | null
  readonly reasoningEffort: ReasoningEffort | null
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  /** In the provider's own terms. */
  readonly providerOptions?: JsonObject
}

/** The source of a node's input. `output` names a field of that node's output; `output` itself is the whole. */
export type PortValue =
  | { readonly type: 'static'; readonly value: Json }
  | { readonly type: 'variable'; readonly variable: string; readonly optional: boolean }
  | { readonly type: 'connection'; readonly node: string; readonly output: string; readonly optional: boolean }

export interface WorkflowNode {
  readonly id: string
  readonly typeId: string
  /** For people and for the roster. */
  readonly label: string
  readonly alias: string | null
  /** As it was written: the prompt refs are read from here. */
  readonly config: JsonObject
  readonly inputs: Readonly<Record<string, PortValue>>
  readonly disabled: boolean
  readonly agentId: string | null
  readonly role: string | null
  readonly objective: string | null
  readonly definitionOfDone: string | null
  /** A lasting session it works in; null for one of its own in every run. */
  readonly session: string | null
  readonly model: ModelChoice
  /** The settings of the node itself; null leaves them to the defaults of its role. */
  readonly settings: Partial<NodeSettings> | null
  readonly orchestration: Orchestration | null
}

/** Which ends of its source let an edge through. A node starts when everything before it has ended and all its edges let it. */
export type EdgeRule = 'all_success' | 'any_success' | 'all_complete' | 'none_failed' | 'any_failed'

export interface EdgeCondition {
  readonly type: 'equals' | 'notEquals' | 'contains' | 'truthy' | 'falsy'
  /** A dotted path into `{status, output}` of the source. */
  readonly left: string
  readonly right: Json
}

export interface WorkflowEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  /** The port it fills; null when it only hands over. */
  readonly input: string | null
  readonly output: string
  readonly condition: EdgeCondition | null
  readonly rule: EdgeRule
  readonly label: string | null
  readonly type: 'handoff' | 'report'
  readonly bidirectional: boolean
  /** How often it may lead back; null for an edge that only leads on. */
  readonly repeats: number | null
  /** Text handed over with it, by name. */
  readonly contextPacks: readonly { readonly ref: string; readonly text: string }[]
}

export interface WorkflowVariable {
  readonly name: string
  readonly type: 'string' | 'number' | 'boolean' | 'object' | 'array'
  readonly required: boolean
  /** Null without a default. */
  readonly defaultValue: Json
  readonly trust: 'trusted' | 'untrusted'
}

export interface Workflow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly description: string | null
  readonly nodes: readonly WorkflowNode[]
  readonly edges: readonly WorkflowEdge[]
  readonly variables: readonly WorkflowVariable[]
  /** The layer workflow-defaults. */
  readonly promptRefs: KindRefs
  readonly objective: string | null
  readonly definitionOfDone: string | null
  readonly mode: Mode
  readonly orchestration: Orchestration
  readonly budget: Budget
  /** How many turns without progress are a stall; 0 for never. */
  readonly stallAfter: number
  /** The rules by which its runs are judged. Left out by workflows that were frozen before there was a second version. */
  readonly rulesVersion?: number
  /** The schema for `configurable` of a run; null when any value is accepted. */
  readonly configurableSchema: JsonObject | null
  /** How much of its prompts is Onbook's own. Left out: the default of its graph. */
  readonly compose?: ComposeStyle
  /** The effect of an input that does not fit the pack's schema. Left out: the run is refused. */
  readonly onMisfit?: 'fail' | 'warn'
}
