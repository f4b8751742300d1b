// The versions of a template in the library's table. Every tenant sees the versions that the host ships.
import type { Digest, Json } from '../../core/digest/digest.ts'
import type { KnownVersion } from '../../core/library/decide.ts'
import { LIBRARY_FAMILIES, libraryPlace } from '../../core/library/events.ts'
import type { LibraryTemplate, TemplateOrigin } from '../../core/library/template.ts'
import type { PromptKind } from '../../core/pack/compile.ts'
import type { ProjectedRow } from '../../core/record/projection.ts'
import type { Pinned } from '../../core/resolve/resolve.ts'
import type { Store } from '../../ports.ts'
import { BYTES_ALONE, remembered, rememberedContent } from '../reading/remembered.ts'
import { publishedVersions } from './kept-versions.ts'

/** Whose templates the host's own are. No key ever belongs to it. */
export const HOST_TENANT = 'onbook'

export interface LibraryRow extends Pinned, KnownVersion {
  readonly tenant: string
  /** Null: every key of the tenant sees it. */
  readonly workspace: string | null
  readonly kind: PromptKind
  readonly tags: readonly string[]
  readonly modelClass: string | null
}

/** Who writes, and where. */
export interface Writer {
  readonly tenant: string
  readonly libraryId: string
  /** The workspace that its templates and labels belong to; without one, the whole tenant. */
  readonly workspace?: string | null
  readonly actor: string
  /** The commit of the checkout that the writer works in; left out of the record without one. */
  readonly commit?: string | null
  /** The stored answer to a repeated request. */
  readonly idempotency?: { readonly key: string; readonly answer: Json }
}

export function toLibraryRow({ tenant, stream, cells }: ProjectedRow): LibraryRow {
  return {
    tenant,
    ...libraryPlace(stream),
    templateId: String(cells.templateId),
    version: String(cells.version),
    digest: cells.template as Digest,
    kind: cells.kind as PromptKind,
    origin: cells.origin as TemplateOrigin,
    tags: JSON.parse(String(cells.tags ?? '[]')) as string[],
    modelClass: cells.modelClass === null ? null : String(cells.modelClass),
    removed: cells.removed === 1,
    retired: cells.retired === 1,
  }
}

/** About as much as one takes in memory. */
const ROW_BYTES = 600

/** Every version of an id that is visible in a workspace, or without one in the tenant; in all libraries, removed ones too. */
export const versionsOf = (
  store: Store,
  tenant: string,
  templateId: string,
  workspace: string | null = null,
): Promise<readonly LibraryRow[]> =>
  remembered(
    store,
    LIBRARY_FAMILIES,
    JSON.stringify(['versions', tenant, templateId, workspace]),
    async () => {
      const found: LibraryRow[] = []
      for (const owner of new Set([HOST_TENANT, tenant]))
        for (const row of await publishedVersions(store, owner, templateId)) found.push(row)
      return unshadowed(found, workspace)
    },
    rows => rows.length * ROW_BYTES,
  )

/**
 * The rows of one id that are visible in a workspace. The workspace's own come before the tenant's, and the tenant's before the host's: where a
 * tenant used an id first, the host may ship it later, and for that tenant it keeps its meaning.
 */
export function unshadowed(rows: readonly LibraryRow[], workspace: string | null): readonly LibraryRow[] {
  const visible = rows.filter(row => row.workspace === null || row.workspace === workspace)
  const nearest = new Map<string, number>()
  for (const row of visible) nearest.set(row.libraryId, Math.max(nearest.get(row.libraryId) ?? 0, nearness(row)))
  return visible.filter(row => nearness(row) === nearest.get(row.libraryId))
}

const nearness = ({ tenant, workspace }: LibraryRow): number => (workspace !== null ? 2 : tenant !== HOST_TENANT ? 1 : 0)

/** A library's own versions, and the host's of the same library: an id the host uses is taken. */
export const isOwn = ({ libraryId, tenant, workspace }: LibraryRow, writer: Writer): boolean =>
  libraryId === writer.libraryId && workspace === (writer.workspace ?? null) && (tenant === writer.tenant || tenant === HOST_TENANT)

/** The versions that a writer's decision depends on. An id that only other libraries have belongs to them. */
export async function takenVersions(store: Store, writer: Writer, templateId: string): Promise<readonly LibraryRow[]> {
  const all = await versionsOf(store, writer.tenant, templateId, writer.workspace)
  const own = all.filter(row => isOwn(row, writer))
  return own.length > 0 ? own : all.filter(({ origin, removed }) => origin !== 'user' && !removed)
}

/** A template beside the bytes that its digest names. */
export interface StoredTemplate {
  readonly template: LibraryTemplate
  readonly bytes: Uint8Array
}

/** Bytes may be erased, so they are read again after every erasure; their content is parsed once. */
export const readStored = (store: Store, { tenant, digest }: LibraryRow): Promise<StoredTemplate> => {
  const key = JSON.stringify(['template', tenant, digest])
  return remembered(
    store,
    BYTES_ALONE,
    key,
    async () => {
      const bytes = await store.object(tenant, digest)
      return { bytes, template: await parsed(store, key, bytes) }
    },
    ({ bytes }) => bytes.length,
  )
}

/** The same object while it is cached: rendering caches by identity. */
const parsed = (store: Store, key: string, bytes: Uint8Array): Promise<LibraryTemplate> =>
  rememberedContent(
    store,
    key,
    async () => JSON.parse(new TextDecoder().decode(bytes)) as LibraryTemplate,
    () => bytes.length * PREPARED_FACTOR,
  )

/** A template that is ready to be rendered takes several times its bytes. */
const PREPARED_FACTOR = 4

export const readTemplate = async (store: Store, row: LibraryRow): Promise<LibraryTemplate> => (await readStored(store, row)).template
