// Decides which secrets the content of a workspace may put into a prompt. Content names them; the operator's policy decides.
import { isListed } from './grants.ts'

/** Nothing is granted that no entry names. Names may end in `*`. */
export interface SecretGrant {
  readonly secrets: readonly string[]
  readonly workspaces: readonly string[]
  /** Agents, or home sessions. Without these, all. */
  readonly agents?: readonly string[]
  readonly tenants?: readonly string[]
}

export interface SecretUse {
  readonly tenant: string
  readonly workspace: string
  readonly agent: string
}

/** The secrets among these that the policy does not let this workspace use. */
export const refusedSecrets = (
  grants: readonly SecretGrant[],
  { tenant, workspace, agent }: SecretUse,
  secrets: readonly string[],
): readonly string[] => {
  const fitting = grants.filter(one => isListed(one.workspaces, workspace) && isListed(one.agents, agent) && isListed(one.tenants, tenant))
  return secrets.filter(secret => !fitting.some(one => isListed(one.secrets, secret)))
}

/** Names the place that uses the secret, and the line that the operator adds to allow it. */
export const secretRefusal = ({ workspace }: Pick<SecretUse, 'workspace'>, prelude: string, secrets: readonly string[]): string =>
  `prompts/packs/${prelude}.json of workspace ${workspace} asks for ${secrets.length === 1 ? 'the secret' : 'the secrets'} ${secrets.join(', ')}, which the policy does not let it use; to allow it, add to onbook.policy.yaml: secrets: [{ secrets: [${secrets.join(', ')}], workspaces: [${workspace}] }]`
