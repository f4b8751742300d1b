// Lists the workflows and agents that a tenant can see: its own, and those that the host ships. Does not parse documents.
import { type DefinitionHead, type DefinitionKind, definitionRows, definitionStream } from '../../core/definition/published.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { streamFamily } from '../../core/record/event.ts'
import type { ProjectedRow } from '../../core/record/projection.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { remembered } from '../reading/remembered.ts'

export interface DefinitionRow extends DefinitionHead {
  /** Whose it is: its document is an object of this tenant. */
  readonly tenant: string
  readonly id: string
  readonly name: string
  readonly version: string | null
  readonly at: string
  readonly actor: string
}

/** A tenant's own, removed or not. */
export const ownDefinition = (store: Store, kind: DefinitionKind, tenant: string, id: string): Promise<DefinitionRow | null> =>
  remembered(store, [streamFamily(definitionStream(kind, id))], JSON.stringify(['definition', kind, tenant, id]), async () => {
    for await (const row of store.rows(definitionRows[kind].table, tenant, { id })) return toRow(row)
    return null
  })

/** The current definition with this id: the tenant's own, else the one that the host ships. */
export async function findDefinition(store: Store, kind: DefinitionKind, tenant: string, id: string): Promise<DefinitionRow | null> {
  for (const owner of new Set([tenant, HOST_TENANT])) {
    const row = await ownDefinition(store, kind, owner, id)
    if (row !== null && !row.removed) return row
  }
  return null
}

/** All that there are now, by id, from after one on. */
export async function* listDefinitions(store: Store, kind: DefinitionKind, tenant: string, after = ''): AsyncIterable<DefinitionRow> {
  const shipped: DefinitionRow[] = []
  // The host ships few.
  if (tenant !== HOST_TENANT) for await (const row of present(store, kind, HOST_TENANT, after)) shipped.push(row)
  for await (const row of present(store, kind, tenant, after)) {
    while (shipped[0] !== undefined && shipped[0].id < row.id) yield shipped.shift()!
    if (shipped[0]?.id === row.id) shipped.shift()
    yield row
  }
  yield* shipped
}

async function* present(store: Store, kind: DefinitionKind, tenant: string, after: string): AsyncIterable<DefinitionRow> {
  for await (const found of store.rows(definitionRows[kind].table, tenant, {}, { by: 'id', after })) {
    const row = toRow(found)
    if (!row.removed) yield row
  }
}

const toRow = ({ tenant, cells }: ProjectedRow): DefinitionRow => ({
  tenant,
  id: String(cells.id),
  name: String(cells.name),
  version: cells.version === null || cells.version === undefined ? null : String(cells.version),
  revision: Number(cells.revision),
  document: cells.document as Digest,
  at: String(cells.at),
  actor: String(cells.actor),
  removed: cells.removed === 1,
})
