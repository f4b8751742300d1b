// The default permissions of a node. Runs freeze them, so a new default of the product does not change an existing run.
import type { NodeSettings } from './authorize.ts'

export interface UsualSettings {
  readonly all: NodeSettings
  /** Exceptions, by role. */
  readonly roles: Readonly<Record<string, Partial<NodeSettings>>>
}

/** The defaults of runs that froze none. Never changed: the prompts of those runs depend on them. */
const OF_FIRST_RUNS: UsualSettings = {
  all: { edgeManagement: 'none', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false },
  roles: { orchestrator: { edgeManagement: 'all', delegateOnly: true } },
}

/** The defaults of new runs. */
export const USUAL_SETTINGS: UsualSettings = OF_FIRST_RUNS

/** @param frozen by the run; undefined where it froze none */
export function usualSettings(frozen: UsualSettings | undefined, role: string | null): NodeSettings {
  const { all, roles } = frozen ?? OF_FIRST_RUNS
  return { ...all, ...(role !== null && Object.hasOwn(roles, role) ? roles[role] : {}) }
}
