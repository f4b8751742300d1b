// The policy of a host's operator: who is granted which tool, and what sessions may read. Content never changes it.
import { READING, type WorkspaceGrant, type WorkspacePolicy } from '../workspace/policy.ts'
import { type Grant, isListed } from './grants.ts'
import { type GateRules, USUAL_RULES } from './rules.ts'
import type { SecretGrant } from './secret-grants.ts'

/** Read access for the sessions it names. A policy cannot let a session write. */
export interface SessionGrant extends WorkspaceGrant {
  /** Names, each of which may end in `*`. Without these, everybody. */
  readonly sessions?: readonly string[]
  readonly tenants?: readonly string[]
}

export interface HostPolicy {
  readonly grants: readonly Grant[]
  /** Null: a session may read all that its tenant has. */
  readonly workspaces: readonly SessionGrant[] | null
  /** Which secrets the content of workspaces may put into prompts. */
  readonly secrets: readonly SecretGrant[]
  /** The host's own tools that a model is shown when nothing else names any. */
  readonly offer: readonly string[]
  /** The time to answer an approval, when the grant has none. Null: unlimited. */
  readonly approvals: { readonly expireAfterMs: number | null }
  /** Commands that `command` may run while its run plans. */
  readonly planningCommands: readonly string[]
  /** Whether an orchestrator, too, needs a person to change the graph. */
  readonly orchestrator: { readonly asks: boolean }
}

export const DEFAULT_POLICY: HostPolicy = {
  grants: [],
  workspaces: null,
  secrets: [],
  offer: [],
  approvals: { expireAfterMs: USUAL_RULES.approvalMs },
  planningCommands: USUAL_RULES.planningCommands,
  orchestrator: { asks: USUAL_RULES.orchestratorAsks },
}

export const gateRules = ({ approvals, planningCommands, orchestrator }: HostPolicy): GateRules => ({
  planningCommands,
  orchestratorAsks: orchestrator.asks,
  approvalMs: approvals.expireAfterMs,
})

export function sessionPolicy({ workspaces }: HostPolicy, tenant: string, session: string): WorkspacePolicy {
  if (workspaces === null) return [{ workspaces: ['*'], operations: READING }]
  return workspaces
    .filter(({ sessions, tenants }) => isListed(sessions, session) && isListed(tenants, tenant))
    .map(({ sessions: _, tenants: __, operations = READING, ...grant }) => ({ ...grant, operations }))
}

/** A grant with its number and line in the whole policy. */
export type NumberedGrant = Omit<Grant, 'tenants'> & { readonly grant: number; readonly line: number | null }

export interface TenantPolicy extends Omit<HostPolicy, 'grants' | 'workspaces' | 'secrets'> {
  readonly grants: readonly NumberedGrant[]
  readonly workspaces: readonly Omit<SessionGrant, 'tenants'>[] | null
  readonly secrets: readonly Omit<SecretGrant, 'tenants'>[]
}

/** The part of a policy that one tenant may see: nothing that names other tenants. */
export function policyFor(
  { policy: { grants, workspaces, secrets, ...rest }, lines }: { readonly policy: HostPolicy; readonly lines: readonly number[] },
  tenant: string,
): TenantPolicy {
  return {
    grants: grants.flatMap(({ tenants, ...grant }, index) =>
      isListed(tenants, tenant) ? [{ grant: index + 1, line: lines[index] ?? null, ...grant }] : [],
    ),
    workspaces: workspaces?.flatMap(({ tenants, ...readable }) => (isListed(tenants, tenant) ? [readable] : [])) ?? null,
    secrets: secrets.flatMap(({ tenants, ...usable }) => (isListed(tenants, tenant) ? [usable] : [])),
    ...rest,
  }
}
