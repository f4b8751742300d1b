// Where the commands about tools do their asking: on the record at rest, or through a host. Both answer alike.
import { existsSync } from 'node:fs'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { openSessions } from '../../book/open-sessions.ts'
import { policyOf } from '../../book/policy-file.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, clock, databaseOf, tenantOf } from '../../book/record-folder.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import { createClient, type Tools } from '../../client/index.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { adoptTools, dropTools } from '../../engine/tools/adoptions.ts'
import { showTools } from '../../engine/tools/show-tools.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostFor, type WhichHost, workAt } from '../host/which-host.ts'

export interface ToolDesk extends Tools {
  close(): Promise<void>
}

/** Through the host that is named, or that runs on the folder; else on the folder itself. */
export async function withToolDesk(input: Input, work: (desk: ToolDesk) => Promise<number>, writes = false): Promise<number> {
  const host = await hostFor(input)
  return workAt(host === null ? await deskAtRest(input, writes) : deskThrough(host), input, work)
}

/** Servers may have to be started. */
const PATIENCE_MS = 120_000

const deskThrough = (host: WhichHost): ToolDesk => ({
  ...createClient({ ...host, timeoutMs: Math.max(PATIENCE_MS, host.timeoutMs) }).tools,
  close: async () => {},
})

async function deskAtRest(input: Input, writes: boolean): Promise<ToolDesk> {
  const policy = await policyOf(input, null)
  const store = storeFor(input, writes)
  // Whoever adopts has no use for the host's own tools, and need not name the repo they work on.
  const sessions = openSessions(store, input, policy, () => {}, writes ? [] : repoBindings(input))
  const { servers = new Map() } = sessions
  const [tenant, actor] = [tenantOf(input), actorOf()]
  return {
    list: (agent = '') => showTools(store, sessions, { tenant, agent }),
    // Whoever can write to the folder may adopt whatever is set there: who else may is for those who come through the host.
    async adopt({ server, tools = null, ...expected }) {
      const from = servers.get(server)
      if (from === undefined) throw new Fault('tool_server_missing', { server })
      return adoptTools(store, from, { server, tools, ...expected, actor })
    },
    drop: async ({ server, tools = null }) => dropTools(store, { server, tools, actor }),
    async close() {
      await sessions.close()
      await store.close()
    },
  }
}

/** Whoever only looks makes no record: where there is none, nothing was adopted. */
const storeFor = (input: Input, writes: boolean): Store =>
  writes || existsSync(databaseOf(input)) ? openProductStore(input) : memoryStore(clock, PRODUCT_PROJECTIONS)
