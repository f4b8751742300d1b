// Stores the schemas of a published pack beside its templates, so that a run can check its input. The template's own bytes do not change.
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { libraryStream, packSchemaRows, packSchemasDraft } from '../../core/library/events.ts'
import type { Pack } from '../../core/pack/pack.ts'
import { closureOf, type Schemas } from '../../core/schema/schemas.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Writer } from './rows.ts'

export interface PackSchemas {
  readonly pack: string
  readonly version: string
  readonly inputSchema: string
  readonly outputSchema: string
  /** All that the two reach, by URI. */
  readonly schemas: Readonly<Record<string, Json>>
}

export function schemasOfPack({ agentId, version, inputSchema, outputSchema }: Pack, known: Schemas): PackSchemas {
  const reached = [inputSchema, outputSchema].flatMap(uri => closureOf(uri, known)?.uris ?? [])
  const schemas = Object.fromEntries(reached.map(uri => [uri, known.get(uri)!.schema]))
  return { pack: agentId, version, inputSchema, outputSchema, schemas }
}

/** Publishes schemas that are not on record yet, in one commit. */
export async function publishSchemas(store: Store, { tenant, libraryId, actor }: Writer, all: readonly PackSchemas[]): Promise<void> {
  const stream = libraryStream(libraryId)
  for (;;) {
    const { seq } = await store.head(tenant, stream)
    const texts: string[] = []
    const entries = []
    for (const one of all) {
      const text = canonicalJson(one as unknown as Json)
      const schemas = digestText(text)
      if ((await schemasFor(store, tenant, { libraryId, templateId: one.pack, version: one.version })) === schemas) continue
      texts.push(text)
      entries.push(packSchemasDraft({ templateId: one.pack, version: one.version, schemas }, actor))
    }
    if (entries.length === 0) return
    const objects = texts.map(text => new TextEncoder().encode(text))
    try {
      return void (await store.commit({ tenant, objects, appends: [{ stream, expected: seq, entries }] }))
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'stream_moved')) throw error
    }
  }
}

/** Null for a template that came without schemas. */
export async function schemasFor(
  store: Store,
  tenant: string,
  { libraryId, templateId, version }: { readonly libraryId: string; readonly templateId: string; readonly version: string },
): Promise<Digest | null> {
  for await (const { stream, cells } of store.rows(packSchemaRows.table, tenant, { templateId, version }))
    if (stream === libraryStream(libraryId)) return cells.schemas as Digest
  return null
}
