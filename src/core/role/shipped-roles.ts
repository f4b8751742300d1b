// The built-in roles, as the text of their files. They are code, so every build contains them and no disk is read.
import { implementer } from './shipped/implementer.ts'
import { investigator } from './shipped/investigator.ts'
import { orchestrator } from './shipped/orchestrator.ts'
import { planner } from './shipped/planner.ts'
import { reviewer } from './shipped/reviewer.ts'

/** By name. A map, because any string may be looked up: `constructor` must not match. */
export const shippedRoles: ReadonlyMap<string, string> = new Map([
  ['orchestrator', orchestrator],
  ['planner', planner],
  ['implementer', implementer],
  ['reviewer', reviewer],
  ['investigator', investigator],
])
