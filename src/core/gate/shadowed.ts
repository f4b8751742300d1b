// Finds grants that never decide, because an earlier one matches every call they would. In doubt a grant is not shadowed.
import { type ArgumentPatterns, COMMAND_LINE } from './argument-patterns.ts'
import type { Grant } from './grants.ts'

export interface Shadowed {
  readonly grant: number
  /** The first that takes it all. */
  readonly by: number
}

export function* shadowedGrants(grants: readonly Grant[]): Iterable<Shadowed> {
  for (const [index, grant] of grants.entries()) {
    const by = grants.findIndex((earlier, at) => at < index && takesAll(earlier, grant))
    if (by >= 0) yield { grant: index, by }
  }
}

const takesAll = (earlier: Grant, later: Grant): boolean =>
  covers(earlier.tools, later.tools) &&
  covers(earlier.tenants, later.tenants ?? ['*']) &&
  covers(earlier.agents, later.agents ?? ['*']) &&
  covers(earlier.roles, later.roles) &&
  covers(earlier.modes, later.modes) &&
  argumentsCovered(earlier, later)

/** Without a list, everybody. For roles this includes nodes without a role, which no name matches. */
const covers = (wide: readonly string[] | undefined, narrow: readonly string[] | undefined): boolean =>
  wide === undefined || (narrow?.every(name => wide.some(pattern => coversName(pattern, name))) ?? false)

const coversName = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)))

/**
 * A denial matches unclear arguments and a grant does not: so a denial is covered only by another denial, or by a grant
 * without argument rules.
 */
function argumentsCovered({ arguments: wide = {}, deny }: Grant, { arguments: narrow = {}, deny: denies }: Grant): boolean {
  const names = Object.keys(wide)
  if (names.length === 0) return true
  if (denies === true && deny !== true) return false
  // The folder that a command is granted in depends on whether the grant names one.
  if (Object.hasOwn(wide, COMMAND_LINE) && Object.hasOwn(narrow, 'cwd') !== Object.hasOwn(wide, 'cwd')) return false
  return names.every(name => Object.hasOwn(narrow, name) && patternsCovered(wide[name]!, narrow[name]!))
}

const patternsCovered = (wide: ArgumentPatterns, narrow: ArgumentPatterns): boolean => narrow.every(pattern => wide.includes(pattern))
