// Who is granted which tool. What no grant names is not granted; the first that fits decides.

export interface Grant {
  /** Names, each of which may end in `*`. */
  readonly tools: readonly string[]
  /** Without these, everybody. */
  readonly tenants?: readonly string[]
  readonly agents?: readonly string[]
  readonly roles?: readonly string[]
  /** Granted, once a person has approved. */
  readonly approval?: boolean
}

export interface GrantQuestion {
  readonly tool: string
  readonly tenant: string
  readonly agent: string
  readonly role: string | null
}

export interface Granting {
  readonly granted: boolean
  readonly reason: string
  readonly approval: boolean
}

export function grantOf(grants: readonly Grant[], question: GrantQuestion): Granting {
  const at = grants.findIndex(grant => fits(grant, question))
  if (at < 0) return { granted: false, reason: `no grant names ${question.tool} for ${question.agent}`, approval: false }
  return { granted: true, reason: `grant ${at + 1} names it`, approval: grants[at]!.approval === true }
}

const fits = ({ tools, tenants, agents, roles }: Grant, { tool, tenant, agent, role }: GrantQuestion): boolean =>
  tools.some(pattern => matches(pattern, tool)) && isListed(tenants, tenant) && isListed(agents, agent) && isListed(roles, role)

/** Without a list, everybody is; names in it may end in `*`. */
export const isListed = (allowed: readonly string[] | undefined, name: string | null): boolean =>
  allowed === undefined || (name !== null && allowed.some(pattern => matches(pattern, name)))

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
