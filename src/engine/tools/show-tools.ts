// Lists every tool with its origin and status: bound, adopted, or waiting for a person's review. Asks every server.
import type { Digest } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { type Grant, grantOfSome, isGrantedToSome } from '../../core/gate/grants.ts'
import { differenceOf, type ForeignState, pinOf, type StandingTool, standingTools } from '../../core/tools/foreign-tools.ts'
import type { Binding, Store, ToolListing } from '../../ports.ts'
import type { ToolServers } from './adopted-tools.ts'
import { adoptedTool, loadAdoptions } from './adoptions.ts'

export interface ToolSources {
  readonly bindings: ReadonlyMap<string, Binding>
  readonly grants: readonly Grant[]
  readonly servers?: ToolServers
  readonly offers?: (tool: string) => boolean
}

export interface ShownTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Null for the host's own. */
  readonly server: string | null
  readonly state: 'bound' | ForeignState
  readonly offered: boolean
  readonly repeatable: boolean
  readonly granted: boolean
  /** Granted to some agents or roles, but not to the one that asks. */
  readonly grantedToSome?: true
  readonly approval: boolean
  readonly reason: string
  readonly tool?: string
  readonly descriptor?: Digest
  readonly adopted?: { readonly descriptor: Digest; readonly by: string; readonly at: string; readonly reads: boolean }
  readonly difference?: string
}

export interface ShownServer {
  readonly server: string
  readonly problem: string | null
  readonly leftOut: readonly string[]
}

export interface ShownTools {
  readonly tools: readonly ShownTool[]
  readonly servers: readonly ShownServer[]
}

/** @param asks the tenant that asks: it must not see the servers of other tenants */
export async function showTools(
  store: Store,
  { bindings, grants, servers = new Map(), offers = () => false }: ToolSources,
  asks: { readonly tenant: string; readonly agent: string },
): Promise<ShownTools> {
  const open = [...servers].filter(([, { tenants }]) => tenants.includes(asks.tenant))
  const looked = await Promise.all(open.map(async ([server, { list }]) => ({ server, ...(await lookAt(list())) })))
  const adoptions = open.length === 0 ? new Map() : await loadAdoptions(store)
  const foreign = looked.flatMap(({ server, listing }) => standingTools(server, listing?.tools ?? null, adoptions))
  const judged = (name: string) => {
    const { granted, reason, approval } = grantOfSome(grants, { tool: name, ...asks, role: null })
    const toSome = !granted && isGrantedToSome(grants, name, asks.tenant, asks.agent === '' ? null : asks.agent)
    return { granted, reason, approval: approval !== null, ...(toSome ? { grantedToSome: true as const } : {}) }
  }
  const own = [...bindings.values()].map(
    ({ descriptor, repeatable = false }): ShownTool => ({
      ...descriptor,
      server: null,
      state: 'bound',
      repeatable,
      offered: offers(descriptor.name),
      ...judged(descriptor.name),
    }),
  )
  const others = foreign.map(
    async (one): Promise<ShownTool> => ({
      ...(await described(store, one)),
      offered: one.state === 'adopted' && offers(one.name),
      ...judged(one.name),
    }),
  )
  return {
    tools: [...own, ...(await Promise.all(others))].sort((one, other) => (one.name < other.name ? -1 : 1)),
    servers: looked.map(({ server, problem, listing }) => ({ server, problem, leftOut: listing?.leftOut ?? [] })),
  }
}

async function lookAt(asked: Promise<ToolListing>): Promise<{ readonly listing: ToolListing | null; readonly problem: string | null }> {
  return asked.then(
    listing => ({ listing, problem: null }),
    (error: Error) => ({ listing: null, problem: error.message }),
  )
}

async function described(
  store: Store,
  { name, server, tool, state, listed, adoption }: StandingTool,
): Promise<Omit<ShownTool, 'offered' | 'granted' | 'grantedToSome' | 'approval' | 'reason'>> {
  const adopted = adoption === null ? null : await adoptedTool(store, adoption)
  const { description, inputSchema } = listed ?? adopted ?? { description: '', inputSchema: {} }
  return {
    ...{ name, description, inputSchema, server, state, tool },
    repeatable: false,
    ...(listed === null ? {} : { descriptor: pinOf(listed) }),
    ...(adoption === null
      ? {}
      : {
          adopted: { descriptor: adoption.descriptor, by: adoption.by, at: adoption.at, reads: adoption.reads === true },
        }),
    ...(state === 'changed' && adopted !== null && listed !== null ? { difference: differenceOf(adopted, listed) } : {}),
  }
}
