// Facts that a level 2 replay takes from the record without checking them, each with the reason. An identical result proves nothing about them.
import type { Condition } from '../../core/gate/authorize.ts'

/** Conditions of a verdict that are assumed; their consequences are judged again. */
export const BELIEVED_CONDITIONS: Readonly<Partial<Record<Believed, string>>> = {
  well_formed: 'the schema of a tool is untrusted code, and is not run again',
  bound: 'the tools of a host are its code, and not recorded',
  granted: 'the record has no policy that was active then',
}

/** Assumed in every run. */
export const BELIEVED_ALWAYS = {
  request: 'requests',
  outcomes: 'replies of models, tools and people',
  order: 'the order of nodes',
} as const

export type Believed = keyof typeof BELIEVED_ALWAYS | Condition

export const ALWAYS_BELIEVED = Object.keys(BELIEVED_ALWAYS) as readonly (keyof typeof BELIEVED_ALWAYS)[]
