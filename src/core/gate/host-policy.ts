// What the operator of a host allows: who is granted which tool, and what sessions may read. No content ever supplies any of it.
import { READING, type WorkspaceGrant, type WorkspacePolicy } from '../workspace/policy.ts'
import { type Grant, isListed } from './grants.ts'

/** What the sessions it names may read. Nothing in a policy lets a session write. */
export interface SessionGrant extends WorkspaceGrant {
  /** Names, each of which may end in `*`. Without these, everybody. */
  readonly sessions?: readonly string[]
  readonly tenants?: readonly string[]
}

export interface HostPolicy {
  readonly grants: readonly Grant[]
  /** Null: a session may read all that its tenant has. */
  readonly workspaces: readonly SessionGrant[] | null
  /** The host's own tools that a model is shown when nothing else names any. */
  readonly offer: readonly string[]
}

export const DEFAULT_POLICY: HostPolicy = { grants: [], workspaces: null, offer: [] }

export function sessionPolicy({ workspaces }: HostPolicy, tenant: string, session: string): WorkspacePolicy {
  if (workspaces === null) return [{ workspaces: ['*'], operations: READING }]
  return workspaces
    .filter(({ sessions, tenants }) => isListed(sessions, session) && isListed(tenants, tenant))
    .map(({ sessions: _, tenants: __, operations = READING, ...grant }) => ({ ...grant, operations }))
}
