// Labels: names that move from version to version, with their whole history.
import { decideLabel } from '../../core/library/decide.ts'
import { labelMoveRows, labelProtectedDraft, labelRows, libraryStream, protectedLabelRows } from '../../core/library/events.ts'
import type { Store } from '../../ports.ts'
import { isProtected, labelledVersion } from './label-rows.ts'
import { type CommitOutcome, commitDecided } from './publish.ts'
import { isOwn, versionsOf, type Writer } from './rows.ts'

export interface LabelChange {
  readonly templateId: string
  readonly label: string
  readonly to: string | null
  readonly why: string | null
  readonly mayMoveProtected: boolean
}

export interface LabelState {
  readonly label: string
  readonly version: string
  readonly actor: string
  readonly at: string
  readonly why: string | null
}

export function moveLabel(store: Store, writer: Writer, change: LabelChange): Promise<CommitOutcome> {
  const { templateId, label, to, why, mayMoveProtected } = change
  return commitDecided(store, writer, [], async () => {
    const known = (await versionsOf(store, writer.tenant, templateId, writer.workspace)).filter(row => isOwn(row, writer))
    const from = (await labelledVersion(store, writer, templateId, label)) ?? null
    const request = { templateId, label, from, to, why, protected: await isProtected(store, writer, label), mayMoveProtected }
    return decideLabel(request, known, writer.actor)
  })
}

/** Writes nothing when the label already has this state. */
export function protectLabel(store: Store, writer: Writer, label: string, on: boolean): Promise<CommitOutcome> {
  return commitDecided(store, writer, [], async () => ({
    ok: true,
    drafts: (await isProtected(store, writer, label)) === on ? [] : [labelProtectedDraft(label, on, writer.actor)],
  }))
}

/** By name. */
export async function protectedLabels(store: Store, { tenant, libraryId, workspace }: Writer): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { cells, stream } of store.rows(protectedLabelRows.table, tenant))
    if (stream === libraryStream(libraryId, workspace) && cells.protected === 1) found.push(String(cells.label))
  return found.sort()
}

export async function labelsOf(store: Store, { tenant, libraryId, workspace }: Writer, templateId: string): Promise<readonly LabelState[]> {
  const found: LabelState[] = []
  for await (const { stream, cells } of store.rows(labelRows.table, tenant, { templateId }))
    if (stream === libraryStream(libraryId, workspace) && cells.version !== null)
      found.push({
        label: String(cells.label),
        version: String(cells.version),
        actor: String(cells.actor),
        at: String(cells.at),
        why: cells.why as string | null,
      })
  return found.sort((a, b) => (a.label < b.label ? -1 : 1))
}

export interface LabelHistoryEntry {
  readonly label: string
  readonly from: string | null
  readonly to: string | null
  readonly actor: string
  readonly at: string
  readonly why: string | null
}

/** Oldest first. */
export async function labelHistory(
  store: Store,
  { tenant, libraryId, workspace }: Writer,
  templateId: string,
  label?: string,
): Promise<readonly LabelHistoryEntry[]> {
  const found: LabelHistoryEntry[] = []
  const cells = { templateId, ...(label === undefined ? {} : { label }) }
  for await (const { stream, cells: row } of store.rows(labelMoveRows.table, tenant, cells))
    if (stream === libraryStream(libraryId, workspace))
      found.push({
        label: String(row.label),
        from: row.from as string | null,
        to: row.to as string | null,
        actor: String(row.actor),
        at: String(row.at),
        why: row.why as string | null,
      })
  return found
}
