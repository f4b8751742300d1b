// Decides who is granted which tool. Default deny; the first grant that fits decides.

import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { type ArgumentRules, argumentFit, COMMAND_LINE } from './argument-patterns.ts'
import type { Mode } from './authorize.ts'

export interface Grant {
  /** Names, each of which may end in `*`. */
  readonly tools: readonly string[]
  /** Without these, everybody. */
  readonly tenants?: readonly string[]
  readonly agents?: readonly string[]
  readonly roles?: readonly string[]
  /** Default: every mode, and no mode. A tool that is not built in needs a grant that names planning to be used there. */
  readonly modes?: readonly Mode[]
  /** Rules for the arguments. The grant fits only when all of them fit. */
  readonly arguments?: ArgumentRules
  /** Granted, once a person has approved. */
  readonly approval?: boolean | Partial<Asking>
  /** Refuses the tools it names, even when a later grant fits. */
  readonly deny?: boolean
}

/** Who may approve, and for how long. */
export interface Asking {
  /** Actors, as events name them; a name may end in `*`. Null: everybody who may answer at all. */
  readonly by: readonly string[] | null
  /** Null: the default of the policy. */
  readonly expireAfterMs: number | null
}

export interface GrantQuestion {
  readonly tool: string
  readonly tenant: string
  readonly agent: string
  readonly role: string | null
  /** Null without a mode. Left out when the mode is unknown: then a grant fits, and a denial does not. */
  readonly mode?: Mode | null
  readonly arguments: Json
}

export interface Granting {
  readonly granted: boolean
  readonly reason: string
  /** Null: no approval is needed. */
  readonly approval: Asking | null
  /** The grant that decides is for planning by name. */
  readonly planning?: true
}

/** For tools that need no grant. */
export const FREE: Granting = { granted: true, reason: 'it only asks a person', approval: null }

/** Why a grant does not fit: the first of its lists that does not name the caller, or an argument. */
export type Lack =
  | { readonly part: 'tools' | 'tenants' | 'agents' | 'roles' | 'modes' }
  | { readonly part: 'arguments'; readonly argument: string }

/** A question about a tool before any call. */
export type GrantProspect = Omit<GrantQuestion, 'arguments'>

export function grantOf(grants: readonly Grant[], question: GrantQuestion): Granting {
  const mismatches: string[] = []
  for (const [index, grant] of grants.entries()) {
    const lack = lackOf(grant, question)
    if (lack === null) return decisionOf(grant, index)
    if (lack.part === 'arguments' && grant.deny !== true)
      mismatches.push(`grant ${index + 1} names it, but its argument "${lack.argument}" does not fit`)
  }
  return mismatches.length === 0
    ? ungranted(question)
    : { granted: false, reason: mismatches.slice(0, MOST_REASONS).join('; '), approval: null }
}

const MOST_REASONS = 3

/** To a node and to all that spawned it, by their roles: it has no more than any of them. Where one of them has to ask, it has to. */
export const grantOfAll = (grants: readonly Grant[], question: GrantQuestion, others: readonly (string | null)[]): Granting =>
  strictest([question.role, ...others].map(role => grantOf(grants, { ...question, role })))

export function strictest(all: readonly Granting[]): Granting {
  const refused = all.find(({ granted }) => !granted)
  if (refused !== undefined) return refused
  const asking = all.flatMap(({ approval }) => approval ?? []).reduce<Asking | null>(bothAsk, null)
  if (asking?.by?.length === 0) return { granted: false, reason: 'nobody may approve it for all on whose behalf it is', approval: null }
  const { reason } = all.find(({ approval }) => approval !== null) ?? all[0]!
  return { granted: true, reason, approval: asking, ...(all.every(({ planning }) => planning === true) ? { planning: true } : {}) }
}

/** The answer must be valid for both, and within the shorter time. */
function bothAsk(one: Asking | null, other: Asking): Asking {
  if (one === null) return other
  const times = [one.expireAfterMs, other.expireAfterMs].filter(ms => ms !== null)
  return { by: inBoth(one.by, other.by), expireAfterMs: times.length === 0 ? null : Math.min(...times) }
}

function inBoth(one: Asking['by'], other: Asking['by']): Asking['by'] {
  if (one === null || other === null) return one ?? other
  return [...new Set(one.flatMap(a => other.flatMap(b => narrower(a, b))))]
}

/** The narrower of two patterns; none when neither contains the other. */
const narrower = (a: string, b: string): readonly string[] => {
  if (matches(b, a)) return [a]
  return matches(a, b) ? [b] : []
}

/** Whether any arguments exist that would be granted. The arguments of a real call may still not fit. */
export function grantOfSome(grants: readonly Grant[], prospect: GrantProspect): Granting {
  const at = grants.findIndex(grant => lackOfSome(grant, prospect) === null)
  if (at < 0) return ungranted(prospect)
  const { reason, ...granting } = decisionOf(grants[at]!, at)
  return { ...granting, reason: grants[at]!.arguments === undefined ? reason : `${reason}, for some arguments` }
}

/** Whether it is granted to an agent in some role; where no agent is named, to any. */
export function isGrantedToSome(grants: readonly Grant[], tool: string, tenant: string, agent: string | null): boolean {
  const named = grants.filter(
    one => isListed(one.tools, tool) && isListed(one.tenants, tenant) && (agent === null || isListed(one.agents, agent)),
  )
  const takesAll = ({ agents, roles, modes, arguments: rules }: Grant) =>
    ((agent === null ? agents : undefined) ?? roles ?? modes ?? rules) === undefined
  const first = named.find(one => one.deny !== true || takesAll(one))
  return first !== undefined && first.deny !== true
}

const ungranted = ({ tool, agent }: GrantProspect): Granting => ({
  granted: false,
  reason: `no grant names ${tool} for ${agent}`,
  approval: null,
})

function decisionOf({ deny, approval, modes }: Grant, index: number): Granting {
  if (deny === true) return { granted: false, reason: `grant ${index + 1} denies it`, approval: null }
  const planning = modes?.includes('planning') === true ? ({ planning: true } as const) : {}
  return { granted: true, reason: `grant ${index + 1} names it`, approval: askingOf(approval), ...planning }
}

export function askingOf(approval: Grant['approval']): Asking | null {
  if (approval === undefined || approval === false) return null
  const { by = null, expireAfterMs = null } = approval === true ? {} : approval
  return { by, expireAfterMs }
}

/** Null when it fits. */
export const lackOf = (grant: Grant, question: GrantQuestion): Lack | null => whoLacks(grant, question) ?? argumentLack(grant, question)

/** The same before any call: a grant's argument rules may be met, and a denial's may not. */
export function lackOfSome(grant: Grant, prospect: GrantProspect): Lack | null {
  const [argument] = grant.deny === true ? Object.keys(grant.arguments ?? {}) : []
  return whoLacks(grant, prospect) ?? (argument === undefined ? null : { part: 'arguments', argument })
}

function whoLacks({ tools, tenants, agents, roles, modes, deny }: Grant, { tool, tenant, agent, role, mode }: GrantProspect): Lack | null {
  if (!isListed(tools, tool)) return { part: 'tools' }
  if (!isListed(tenants, tenant)) return { part: 'tenants' }
  if (!isListed(agents, agent)) return { part: 'agents' }
  if (!isListed(roles, role)) return { part: 'roles' }
  const isInMode = modes === undefined || (mode === undefined ? deny !== true : mode !== null && modes.includes(mode))
  return isInMode ? null : { part: 'modes' }
}

function argumentLack({ arguments: written = {}, deny }: Grant, { arguments: input }: GrantQuestion): Lack | null {
  const rules = deny === true ? written : withFolder(written, input)
  const mismatch = Object.keys(rules).find(argument => {
    const fit = argumentFit(input, argument, rules[argument]!)
    return deny === true ? fit === 'no' : fit !== 'fits'
  })
  return mismatch === undefined ? null : { part: 'arguments', argument: mismatch }
}

/**
 * A command is granted in the root, unless the grant names a folder: other folders may contain files that commands obey,
 * such as a package.json.
 */
const withFolder = (rules: ArgumentRules, input: Json): ArgumentRules =>
  Object.hasOwn(rules, COMMAND_LINE) && isObject(input) && input.cwd !== undefined ? { cwd: ['.'], ...rules } : rules

/** Without a list, everybody is; names in it may end in `*`. */
export const isListed = (allowed: readonly string[] | undefined, name: string | null): boolean =>
  allowed === undefined || (name !== null && allowed.some(pattern => matches(pattern, name)))

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
