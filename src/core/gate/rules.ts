// The operator's rules for all calls, beside the grants. Content never changes them.

export interface GateRules {
  /** Lines that `command` may run while its run plans. */
  readonly planningCommands: readonly string[]
  /** Whether an orchestrator, too, needs a person to change the graph. */
  readonly orchestratorAsks: boolean
  /** How long a person has to answer, where the grant says nothing; null for ever. */
  readonly approvalMs: number | null
}

const DAY_MS = 24 * 60 * 60 * 1000

export const USUAL_RULES: GateRules = { planningCommands: [], orchestratorAsks: true, approvalMs: DAY_MS }
