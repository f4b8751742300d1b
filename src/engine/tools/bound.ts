// Folder: The tools that are bound now: the host's own, and adopted tools of other servers while they are listed unchanged. It grants nothing.
// Lists all bound and offered tools: the host's own, and adopted tools of other servers.
import type { Descriptor } from '../../core/tools/catalog.ts'
import { serverIn } from '../../core/tools/foreign-tools.ts'
import type { Binding } from '../../ports.ts'
import type { AdoptedTools, ToolServers } from './adopted-tools.ts'

export interface BoundTools {
  /** The host's own. */
  readonly bindings: ReadonlyMap<string, Binding>
  readonly adopted?: AdoptedTools
  readonly servers?: ToolServers
}

export interface OfferedTools extends BoundTools {
  readonly hostCatalog: readonly Descriptor[] | null
  /** Whether the host offers this adopted tool to agents by default. */
  readonly offers?: (tool: string) => boolean
}

/** The host's own come first: no server can take their names. */
export async function bindingFor({ bindings, adopted }: BoundTools, tenant: string, name: string): Promise<Binding | undefined> {
  return bindings.get(name) ?? (await adopted?.(tenant))?.get(name)
}

/** Why agents do not see a tool that is not bound, as far as its name says. Asks no server. */
export function unadopted({ servers }: BoundTools, tenant: string, name: string): string | undefined {
  const server = serverIn(name)
  const isOurs = server !== null && servers?.get(server)?.tenants.includes(tenant) === true
  return isOurs ? `nobody has adopted it ("onbook tools adopt ${server}")` : undefined
}

export async function allBindings({ bindings, adopted }: BoundTools, tenant: string): Promise<ReadonlyMap<string, Binding>> {
  return adopted === undefined ? bindings : new Map([...(await adopted(tenant)), ...bindings])
}

/** The last rung of the tool ladder; null when the host offers nothing. */
export async function offeredTools(
  { hostCatalog, adopted, offers = () => false }: OfferedTools,
  tenant: string,
): Promise<readonly Descriptor[] | null> {
  const more = [...((await adopted?.(tenant)) ?? [])].filter(([name]) => offers(name)).map(([, { descriptor }]) => descriptor)
  return more.length === 0 ? hostCatalog : [...(hostCatalog ?? []), ...more]
}
