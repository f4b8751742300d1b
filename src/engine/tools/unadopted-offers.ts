// Finds tools that the policy offers and that are not adopted: agents do not see them, and nothing fails. Asks no server.
import { isListed } from '../../core/gate/grants.ts'
import type { RunWarning } from '../../core/run/warning.ts'
import { serverIn } from '../../core/tools/foreign-tools.ts'
import { isGraphTool } from '../../core/tools/graph-descriptors.ts'
import { allBindings, type BoundTools } from './bound.ts'

export async function unadoptedOffers(offer: readonly string[], tools: BoundTools, tenant: string): Promise<readonly RunWarning[]> {
  const missing = new Map<string, string[]>()
  const bound = [...(await allBindings(tools, tenant)).keys()]
  for (const pattern of offer) {
    const server = serverIn(pattern)
    const isOpen = server !== null && tools.servers?.get(server)?.tenants.includes(tenant) === true
    if (!isOpen || isGraphTool(pattern) || bound.some(name => isListed([pattern], name))) continue
    missing.set(server, [...(missing.get(server) ?? []), pattern])
  }
  return [...missing].map(([server, patterns]) => ({
    code: 'tools_unadopted',
    message: `The policy offers ${patterns.join(', ')}, but no such tool of server ${server} is adopted: agents do not see it. Adopt: onbook tools adopt ${server}`,
  }))
}
