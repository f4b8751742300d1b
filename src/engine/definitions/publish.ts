// Folder: Workflows and agents published, found and listed; a folder is checked before any of it is written. It runs nothing.
// Publishes and removes definitions. The decision uses the current state and is repeated when another writer commits first.
import { type Definition, type DefinitionKind, decideDefinition, definitionStream, removedDraft } from '../../core/definition/published.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { Fault } from '../../errors.ts'
import type { Append, Commit, Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'
import { type DefinitionRow, findDefinition, ownDefinition } from './rows.ts'

export interface DefinitionWriter {
  readonly tenant: string
  readonly actor: string
}

/** A parsed and valid definition, with the bytes of its document. */
export interface PreparedDefinition extends Definition {
  readonly bytes: Uint8Array
}

export interface PublishedDefinition {
  readonly kind: DefinitionKind
  readonly id: string
  /** `created` where there was none, or none any more. */
  readonly outcome: 'created' | 'replaced' | 'unchanged'
  readonly revision: number
  readonly digest: Digest
}

/** Whether the current definition, or its absence, is what the caller saw. Evaluated together with the decision. */
export type Precondition = (digest: Digest | null) => boolean

export interface PublishOptions {
  readonly precondition?: Precondition | undefined
  /** The stored answer to a repeated request. */
  readonly idempotency?: ((results: readonly PublishedDefinition[]) => Commit['idempotency']) | undefined
}

export interface RemoveOptions {
  readonly precondition?: Precondition | undefined
  readonly idempotency?: Commit['idempotency'] | undefined
}

/** All of them in one commit, or none. */
export async function publishDefinitions(
  store: Store,
  { tenant, actor }: DefinitionWriter,
  definitions: readonly PreparedDefinition[],
  { precondition, idempotency }: PublishOptions = {},
): Promise<{ readonly results: readonly PublishedDefinition[]; readonly replayed: boolean }> {
  refuseTwins(definitions)
  return optimisticRetry(async () => {
    const results: PublishedDefinition[] = []
    const appends: Append[] = []
    const objects: Uint8Array[] = []
    for (const definition of definitions) {
      const { kind, id, document: digest } = definition
      const stream = definitionStream(kind, id)
      const { seq } = await store.head(tenant, stream)
      const own = await writableDefinition(store, kind, tenant, id)
      checkSeen(kind, id, own, precondition)
      const decided = decideDefinition(own, definition, actor)
      const isThere = own !== null && !own.removed
      const outcome = decided.outcome === 'unchanged' ? 'unchanged' : isThere ? 'replaced' : 'created'
      results.push({ kind, id, outcome, revision: decided.revision, digest })
      if (decided.outcome === 'unchanged') continue
      appends.push({ stream, expected: seq, entries: [decided.draft] })
      objects.push(definition.bytes)
    }
    const storedAnswer = idempotency?.(results)
    if (appends.length === 0 && storedAnswer === undefined) return { results, replayed: false }
    const { replayed } = await store.commit({
      tenant,
      objects,
      appends,
      ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }),
    })
    return { results, replayed: replayed !== null }
  })
}

/** One alone. */
export const publishDefinition = async (
  store: Store,
  writer: DefinitionWriter,
  definition: PreparedDefinition,
  options?: PublishOptions,
): Promise<PublishedDefinition> => (await publishDefinitions(store, writer, [definition], options)).results[0]!

/** Throws what publishing would throw, whatever was seen. */
export async function checkWritable(store: Store, tenant: string, definitions: readonly PreparedDefinition[]): Promise<void> {
  refuseTwins(definitions)
  for (const { kind, id } of definitions) await writableDefinition(store, kind, tenant, id)
}

/** With two of one id it is not clear which one is meant. */
function refuseTwins(definitions: readonly PreparedDefinition[]): void {
  const streams = definitions.map(({ kind, id }) => definitionStream(kind, id))
  const twin = definitions.find((_, index) => streams.indexOf(streams[index]!) < index)
  if (twin !== undefined) throw new Fault('validation_error', { problem: `There are two documents for the ${twin.kind} ${twin.id}` })
}

/** The removed definition stays in the record for runs that began with it. */
export function removeDefinition(
  store: Store,
  { tenant, actor }: DefinitionWriter,
  kind: DefinitionKind,
  id: string,
  { precondition, idempotency }: RemoveOptions = {},
): Promise<{ readonly replayed: boolean }> {
  return optimisticRetry(async () => {
    const stream = definitionStream(kind, id)
    const { seq } = await store.head(tenant, stream)
    const own = await writableDefinition(store, kind, tenant, id)
    if (own === null || own.removed) throw notFound(kind, id)
    checkSeen(kind, id, own, precondition)
    const appends = [{ stream, expected: seq, entries: [removedDraft(kind, id, own.revision, actor)] }]
    const { replayed } = await store.commit({ tenant, appends, ...(idempotency === undefined ? {} : { idempotency }) })
    return { replayed: replayed !== null }
  })
}

/** The tenant's own, if there is one. Throws `definition_read_only` for what the host ships, unless the tenant had the id first. */
async function writableDefinition(store: Store, kind: DefinitionKind, tenant: string, id: string): Promise<DefinitionRow | null> {
  const found = await findDefinition(store, kind, tenant, id)
  if (found?.tenant === HOST_TENANT && tenant !== HOST_TENANT)
    throw new Fault('definition_read_only', { problem: `The ${kind} ${id} is the host's own and cannot be changed; use another id` })
  return ownDefinition(store, kind, tenant, id)
}

export const notFound = (kind: DefinitionKind, id: string): Fault =>
  kind === 'workflow' ? new Fault('workflow_not_found', { workflowId: id }) : new Fault('agent_not_found', { agentId: id })

function checkSeen(kind: DefinitionKind, id: string, own: DefinitionRow | null, precondition: Precondition | undefined): void {
  const digest = own === null || own.removed ? null : own.document
  if (precondition !== undefined && !precondition(digest))
    throw new Fault('precondition_failed', { problem: `The ${kind} ${id} is not what If-Match or If-None-Match names` })
}
