// Where the commands about the policy do their asking: the file and the record here, or a host. Both answer alike.
import { existsSync } from 'node:fs'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { repoRoles } from '../../adapters/repo/repo-roles.ts'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import { openTools } from '../../book/open-sessions.ts'
import { readPolicyFile } from '../../book/policy-file.ts'
import { openProductStore } from '../../book/product-store.ts'
import { clock, databaseOf, tenantOf } from '../../book/record-folder.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import { repoOf } from '../../book/repo-folder.ts'
import { createClient } from '../../client/index.ts'
import { policyFor, type TenantPolicy } from '../../core/gate/host-policy.ts'
import { type ExplainedPolicy, type ExplainRequest, explainPolicy } from '../../engine/policy/explain-policy.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostFor, type WhichHost } from '../host/which-host.ts'

export interface PolicyDesk {
  /** What is said of where the policy is from. */
  readonly from: string
  show(): Promise<TenantPolicy>
  explain(request: ExplainRequest): Promise<ExplainedPolicy>
  close(): Promise<void>
}

/** A file that is named is asked itself, whatever a host here goes by: that is how one is tried before it is in force. */
export async function openPolicyDesk(input: Input): Promise<PolicyDesk> {
  const host = typeof input.policy === 'string' && input.url === undefined ? null : await hostFor(input)
  return host === null ? atRest(input) : throughHost(host)
}

async function atRest(input: Input): Promise<PolicyDesk> {
  const file = await readPolicyFile(input)
  const tenant = tenantOf(input)
  return {
    from: file.path ?? 'no file: what is usual',
    show: async () => policyFor(file, tenant),
    async explain(request) {
      const store = storeOf(input)
      const validator = workerValidator()
      // Nothing is called: that a tool is bound can be said without the folder it would work on.
      const own = repoBindings({ ...input, repo: input.repo ?? '.' })
      const { servers, ...tools } = openTools(store, input, file.policy, own)
      try {
        return await explainPolicy({ ...tools, policy: file, store, validator, roles: repoRoles(repoOf(input)) }, tenant, request)
      } finally {
        await Promise.all([validator.close(), ...[...servers.values()].map(server => server.close())])
        await store.close()
      }
    },
    close: async () => {},
  }
}

/** Whoever asks makes no record. */
const storeOf = (input: Input): Store => (existsSync(databaseOf(input)) ? openProductStore(input) : memoryStore(clock, PRODUCT_PROJECTIONS))

function throughHost(host: WhichHost): PolicyDesk {
  const { policy } = createClient(host)
  return {
    from: `the policy of the host at ${host.url}`,
    show: () => policy.get() as Promise<TenantPolicy>,
    explain: ({ node, ...request }) =>
      policy.explain({ ...request, ...node } as Parameters<typeof policy.explain>[0]) as Promise<ExplainedPolicy>,
    close: async () => {},
  }
}
