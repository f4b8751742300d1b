// Records which tools of other servers are adopted, under the host: the tool, the person, and the descriptor that it replaces.
import type { Digest } from '../../core/digest/digest.ts'
import { streamFamily } from '../../core/record/event.ts'
import {
  type Adoption,
  type Adoptions,
  adoptedDraft,
  droppedDraft,
  type ForeignTool,
  foreignName,
  hintsReading,
  pinnedText,
  pinOf,
  reduceAdoptions,
  TOOLS,
} from '../../core/tools/foreign-tools.ts'
import { Fault } from '../../errors.ts'
import type { Store, ToolServer } from '../../ports.ts'
import type { Principal } from '../access/access.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { remembered, rememberedContent } from '../reading/remembered.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'

export const loadAdoptions = (store: Store): Promise<Adoptions> =>
  remembered(store, [streamFamily(TOOLS)], JSON.stringify(['adoptions']), () => readAdoptions(store))

async function readAdoptions(store: Store): Promise<Adoptions> {
  let adoptions: Adoptions = new Map()
  for await (const { event } of store.read(HOST_TENANT, TOOLS, -1)) adoptions = reduceAdoptions(adoptions, event)
  return adoptions
}

/** The descriptor at the time of the adoption, or null if it was erased. */
export const adoptedTool = (store: Store, { descriptor }: Adoption): Promise<ForeignTool | null> =>
  rememberedContent(store, JSON.stringify(['foreign tool', descriptor]), async () => {
    const bytes = await store.object(HOST_TENANT, descriptor)
    return JSON.parse(new TextDecoder().decode(bytes)) as ForeignTool
  }).catch(error => {
    if (error instanceof Fault && error.code === 'object_missing') return null
    throw error
  })

export interface AdoptRequest {
  readonly server: string
  /** Null for all that it lists. */
  readonly tools: readonly string[] | null
  /** The expected digest of the named tool: adopts the descriptor that the person saw, not a newer one of the server. */
  readonly descriptor?: string
  /** Confirms that the named tools only read: they may be used in planning. */
  readonly reads?: boolean
  readonly actor: string
}

export interface Adopted {
  readonly name: string
  readonly tool: string
  readonly descriptor: Digest
  /** The descriptor that was adopted before. */
  readonly before: Digest | null
  readonly reads: boolean
}

/** Adopts tools, and returns those that were not adopted in this form before. */
export async function adoptTools(
  store: Store,
  from: ToolServer,
  { server, tools, descriptor, reads = false, actor }: AdoptRequest,
): Promise<readonly Adopted[]> {
  const { tools: listed } = await from.list()
  const chosen = tools === null ? listed : [...new Set(tools)].map(tool => listedTool(server, listed, tool))
  const changed = chosen.find(tool => descriptor !== undefined && descriptor !== pinOf(tool))
  if (changed !== undefined) throw new Fault('tool_changed', { server, tool: changed.name, descriptor: pinOf(changed) })
  const unhinted = reads ? chosen.find(tool => !hintsReading(tool)) : undefined
  if (unhinted !== undefined) throw new Fault('tool_unhinted', { server, tool: unhinted.name })
  return optimisticRetry(async () => {
    const { seq } = await store.head(HOST_TENANT, TOOLS)
    const adoptions = await readAdoptions(store)
    const found = chosen
      .map((tool): Adopted => {
        const name = foreignName(server, tool.name)!
        return { name, tool: tool.name, descriptor: pinOf(tool), before: adoptions.get(name)?.descriptor ?? null, reads }
      })
      .filter(one => one.descriptor !== one.before || (one.reads && adoptions.get(one.name)?.reads !== true))
    if (found.length === 0) return found
    const entries = found.map(({ tool, descriptor, before }) =>
      adoptedDraft({ server, tool, descriptor, before, ...(reads ? { reads: true } : {}) }, actor),
    )
    const isFound = new Set(found.map(({ tool }) => tool))
    const objects = chosen.filter(({ name }) => isFound.has(name)).map(tool => new TextEncoder().encode(pinnedText(tool)))
    await store.commit({ tenant: HOST_TENANT, objects, appends: [{ stream: TOOLS, expected: seq, entries }] })
    return found
  })
}

function listedTool(server: string, listed: readonly ForeignTool[], tool: string): ForeignTool {
  const found = listed.find(({ name }) => name === tool)
  if (found === undefined) throw new Fault('tool_unlisted', { server, tool })
  return found
}

export interface DropRequest {
  readonly server: string
  /** Null for all that were adopted. */
  readonly tools: readonly string[] | null
  readonly actor: string
}

export interface Dropped {
  readonly name: string
  readonly tool: string
}

/** Works for a server that is no longer configured, too. */
export function dropTools(store: Store, { server, tools, actor }: DropRequest): Promise<readonly Dropped[]> {
  return optimisticRetry(async () => {
    const { seq } = await store.head(HOST_TENANT, TOOLS)
    const own = [...(await readAdoptions(store))].map(([name, adoption]) => ({ name, ...adoption })).filter(one => one.server === server)
    const dropped = tools === null ? own : [...new Set(tools)].map(tool => ownTool(server, own, tool))
    if (dropped.length === 0) return []
    const entries = dropped.map(one => droppedDraft(one, actor))
    await store.commit({ tenant: HOST_TENANT, appends: [{ stream: TOOLS, expected: seq, entries }] })
    return dropped.map(({ name, tool }) => ({ name, tool }))
  })
}

function ownTool<T extends Adoption>(server: string, own: readonly T[], tool: string): T {
  const found = own.find(adoption => adoption.tool === tool)
  if (found === undefined) throw new Fault('tool_unadopted', { server, tool })
  return found
}

type Adopter = Pick<Principal, 'tenant' | 'isOperator'>

/** @throws `tool_server_missing`, also for a server that this tenant may not adopt from */
export function serverToAdoptFrom(servers: ReadonlyMap<string, ToolServer>, adopter: Adopter, server: string): ToolServer {
  const found = servers.get(server)
  if (found === undefined || !(adopter.isOperator === true || found.adopters.includes(adopter.tenant)))
    throw new Fault('tool_server_missing', { server })
  return found
}
