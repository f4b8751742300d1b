// Checks names that become parts of a path: a name that could lead elsewhere is refused.
import { isWorkspaceName } from '../workspace/path.ts'
import type { Selection } from './config.ts'

/** The problem with the names of a selection; null when all are valid. */
export function nameProblem({ workspace, prelude, catalog }: Selection): string | null {
  const wrong = [workspace.name, prelude, catalog].find(name => name !== null && !isWorkspaceName(name)) ?? null
  if (wrong === null) return null
  return `"${wrong.slice(0, 100)}" is not a name: 1 to 128 letters, digits, dots, underscores, tildes and hyphens, and not just dots`
}
