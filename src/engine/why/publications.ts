// Finds who published the winning template, and the agent or workflow that names it, and when. Reads only the tenant's own streams: the
// host's belong to the operator.
import { type DefinitionKind, definitionStream } from '../../core/definition/published.ts'
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import { libraryStream, type Published } from '../../core/library/events.ts'
import type { Layer } from '../../core/resolve/layers.ts'
import { type EventPlace, placeOf } from '../../core/why/active-since.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { agentAt } from '../definitions/agents.ts'
import { workflowAt } from '../definitions/workflows.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import type { WhyLayer } from './label-moves.ts'
import type { WhyChoice } from './why.ts'

type World = Pick<LoadedFrozen, 'workflow' | 'agents'>

/**
 * @param until the time of the lookup; @returns the same, with the publisher of the winning template as far as the store has the streams
 */
export async function withPublications<T extends WhyChoice>(
  store: Store,
  tenant: string,
  world: World,
  until: string,
  answers: readonly T[],
): Promise<readonly T[]> {
  const templates = await templatePlaces(
    store,
    tenant,
    answers.flatMap(({ chain }) => chain.filter(({ applied, owner }) => applied && owner === undefined)),
  )
  const known = new Map<string, Promise<EventPlace | null>>()
  const definition = (layer: Layer, agentId: string | null): Promise<EventPlace | null> => {
    const named = definitionOf(world, layer, agentId)
    if (named === null) return Promise.resolve(null)
    const stream = definitionStream(named.kind, named.id)
    const found = known.get(stream) ?? definitionPlace(store, tenant, named, until)
    known.set(stream, found)
    return found
  }
  const withPublication = async (entry: WhyLayer, agentId: string | null): Promise<WhyLayer> => {
    if (!entry.applied) return entry
    const published = entry.owner === undefined ? templates.get(keyOf(entry)) : undefined
    const by = await definition(entry.layer, agentId)
    return { ...entry, ...(published === undefined ? {} : { published }), ...(by === null ? {} : { definition: by }) }
  }
  return Promise.all(
    answers.map(async answer => ({
      ...answer,
      chain: await Promise.all(answer.chain.map(entry => withPublication(entry, answer.agentId))),
    })),
  )
}

const keyOf = ({ library, digest }: WhyLayer): string => JSON.stringify([library, digest])

/** A library may be long: each is read once, and no further than needed. */
async function templatePlaces(store: Store, tenant: string, winners: readonly WhyLayer[]): Promise<ReadonlyMap<string, EventPlace>> {
  const places = new Map<string, EventPlace>()
  for (const library of new Set(winners.flatMap(entry => entry.library ?? []))) {
    const wanted = new Set(winners.flatMap(entry => (entry.library === library ? (entry.digest ?? []) : [])))
    for await (const { event } of store.read(tenant, libraryStream(library), -1)) {
      const { template: digest } = event.type === 'template.published' ? (event.payload as unknown as Published) : { template: null }
      if (digest === null || !wanted.delete(digest)) continue
      places.set(JSON.stringify([library, digest]), placeOf(event))
      if (wanted.size === 0) break
    }
  }
  return places
}

interface Named {
  readonly kind: DefinitionKind
  readonly id: string
  readonly digest: Digest
}

/** The document that defines a layer. The settings of the host and of the run have none. */
function definitionOf({ workflow, agents }: World, layer: Layer, agentId: string | null): Named | null {
  if (layer === 'run-configurable' || layer === 'host-defaults') return null
  if (layer === 'node' || layer === 'workflow-defaults') return { kind: 'workflow', id: workflow.id, digest: contentOf(workflow) }
  const agent = agents.get(agentId ?? '')
  return agent === undefined ? null : { kind: 'agent', id: agent.agentId, digest: contentOf(agent) }
}

const contentOf = (read: object): Digest => digestJson(read as unknown as Json)

/** The last publication of the frozen document before that moment; null when its stream or its document is not in the store. */
async function definitionPlace(store: Store, tenant: string, { kind, id, digest }: Named, until: string): Promise<EventPlace | null> {
  let found: EventPlace | null = null
  for await (const { event } of store.read(tenant, definitionStream(kind, id), -1)) {
    if (event.at > until) break
    if (event.type !== `${kind}.published`) continue
    const { document } = event.payload as unknown as { readonly document: Digest }
    if ((await frozenAs(store, tenant, kind, document)) === digest) found = placeOf(event)
  }
  return found
}

/** Null for a document that was erased. */
const frozenAs = (store: Store, tenant: string, kind: DefinitionKind, document: Digest): Promise<Digest | null> =>
  (kind === 'agent' ? agentAt(store, tenant, document) : workflowAt(store, tenant, document)).then(contentOf, (error: unknown) => {
    if (error instanceof Fault && error.code === 'object_missing') return null
    throw error
  })
