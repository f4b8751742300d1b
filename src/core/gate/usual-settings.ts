// What a node may do where nobody set it. Runs freeze it, so that another default of the product reaches no run that was started before.
import type { NodeSettings } from './authorize.ts'

export interface UsualSettings {
  readonly all: NodeSettings
  /** What is otherwise for nodes of a role. */
  readonly roles: Readonly<Record<string, Partial<NodeSettings>>>
}

/** Of runs that froze none, and never changed: what they told their agents follows from it. */
const OF_FIRST_RUNS: UsualSettings = {
  all: { edgeManagement: 'none', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false },
  roles: { orchestrator: { edgeManagement: 'all', delegateOnly: true } },
}

/** Of runs that are started now. */
export const USUAL_SETTINGS: UsualSettings = OF_FIRST_RUNS

/** @param frozen by the run; undefined where it froze none */
export function usualSettings(frozen: UsualSettings | undefined, role: string | null): NodeSettings {
  const { all, roles } = frozen ?? OF_FIRST_RUNS
  return { ...all, ...(role !== null && Object.hasOwn(roles, role) ? roles[role] : {}) }
}
