// Checks the host's default refs when the host starts: a broken default would fail every run of every tenant.
import { isEmpty, type KindRefs } from '../../core/resolve/layers.ts'
import { KINDS, resolveKind } from '../../core/resolve/resolve.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { loadLookup } from './lookup.ts'
import { refsOf } from './refs-of.ts'
import { HOST_TENANT } from './rows.ts'

/** Throws `host_default_missing` for the first default that the host's own library does not have. */
export async function checkHostDefaults(store: Store, hostDefaults: KindRefs): Promise<void> {
  const request = { nodeId: 'host', config: {}, agent: null, agentBindings: false, hostDefaults }
  const lookup = await loadLookup(store, HOST_TENANT, refsOf(request))
  for (const kind of KINDS.filter(one => !isEmpty(hostDefaults[one])))
    for (const { fault } of resolveKind(request, kind, lookup))
      if (fault !== null) throw new Fault('host_default_missing', { kind, problem: fault.message })
}
