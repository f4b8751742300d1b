// The operator's rules for all calls, beside the grants. Content never changes them.

export interface GateRules {
  /** Lines that `command` may run while its run plans. */
  readonly planningCommands: readonly string[]
  /** Whether an orchestrator, too, needs a person to change the graph. */
  readonly orchestratorAsks: boolean
  /** The time to answer an approval, when the grant has none; null for unlimited. */
  readonly approvalMs: number | null
}

const DAY_MS = 24 * 60 * 60 * 1000

export const USUAL_RULES: GateRules = { planningCommands: [], orchestratorAsks: true, approvalMs: DAY_MS }
