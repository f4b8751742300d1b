// Reads the current targets of labels from the tables of a library.
import { ACTIVE_LABEL, labelRows, libraryStream, protectedLabelRows } from '../../core/library/events.ts'
import type { Store } from '../../ports.ts'
import type { Writer } from './rows.ts'

export async function isProtected(store: Store, { tenant, libraryId, workspace }: Writer, label: string): Promise<boolean> {
  for await (const { cells, stream } of store.rows(protectedLabelRows.table, tenant, { label }))
    if (stream === libraryStream(libraryId, workspace)) return cells.protected === 1
  return false
}

/** Null when the label was removed, undefined when the template never had it. */
export async function labelledVersion(
  store: Store,
  { tenant, libraryId, workspace }: Writer,
  templateId: string,
  label: string,
): Promise<string | null | undefined> {
  for await (const { stream, cells } of store.rows(labelRows.table, tenant, { templateId, label }))
    if (stream === libraryStream(libraryId, workspace)) return cells.version as string | null
  return undefined
}

export const activeVersionOf = (store: Store, writer: Writer, templateId: string): Promise<string | null | undefined> =>
  labelledVersion(store, writer, templateId, ACTIVE_LABEL)
