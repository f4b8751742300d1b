// Finds the snapshot that a run would start with now, or the reason why the session cannot start one yet.
import { dueAtRun } from './apply.ts'
import { type RunConfig, type Selection, sameSelection, selectionOf } from './config.ts'
import { type Snapshot, snapshotMismatch } from './snapshot.ts'
import type { SessionState } from './state.ts'

export interface Coming {
  readonly snapshot: Snapshot
  /** Null for an active snapshot that is not of the session's present selection: the session was configured since. */
  readonly selection: Selection | null
}

/** The approved snapshot that is due, else the active one; null when nothing was ever applied. */
export function comingSnapshot(state: SessionState): Coming | null {
  const [due] = dueAtRun(state, state.runs + 1)
  if (due?.type === 'workspace.applied') return { snapshot: due.snapshot, selection: due.selection }
  const { active } = state.workspace
  if (active === null) return null
  const selection = selectionOf(state.config)
  return { snapshot: active, selection: selection !== null && snapshotMismatch(active, selection) === null ? selection : null }
}

/** The config of a run that is requested now, without overrides. */
export const comingConfig = (state: SessionState): RunConfig => ({ ...state.config, ...comingSnapshot(state)?.selection })

/**
 * Why the run would not get the prelude or the catalog that its config names; null when it would, or names none.
 * @param session the one that has to sync
 */
export function unsyncedProblem(config: RunConfig, coming: Coming | null, session: string): string | null {
  const selection = selectionOf(config)
  if (selection === null || (coming !== null && coming.selection !== null)) return null
  const prelude = config.promptDigests === null ? selection.prelude : null
  const catalog = config.toolDigests === null ? selection.catalog : null
  if (prelude === null && catalog === null) return null
  const parts = [prelude === null ? '' : ` prelude ${prelude}`, catalog === null ? '' : ` catalog ${catalog}`].join('')
  const active =
    coming === null ? 'nothing was applied yet' : `version ${coming.snapshot.version} of ${coming.snapshot.workspace} is active`
  return `the session names${parts} of workspace ${selection.workspace.name}, and ${active}: run "onbook sync ${session}", then "onbook apply ${session}"`
}

/** The selection of a run with overrides, where the snapshot that it would start with is not of that selection: it needs a snapshot of its own. */
export function ownSelection(overrides: RunConfig, coming: Coming | null): Selection | 'unset' | null {
  const own = selectionOf(overrides)
  if (own === null) return overrides.prelude === null && overrides.catalog === null ? null : 'unset'
  if (coming?.selection === null || coming === null) return own
  if (sameSelection(own, coming.selection)) return null
  // Another prelude or catalog, of the version that is active: nothing is adopted on the way.
  const sameWorkspace = sameSelection({ ...own, prelude: null, catalog: null }, { ...coming.selection, prelude: null, catalog: null })
  return sameWorkspace ? { ...own, workspace: { ...own.workspace, version: coming.snapshot.version } } : own
}

/** The snapshot that a sync compares with: the same again is `unchanged`. While one is pending or approved every sync is news, so that a
 * caller can apply it, or overrule what is approved. Another selector is news as well: a pin must reach the session.
 */
export function knownTo({ config, workspace: { pending, approved, active } }: SessionState, wanted: Selection): Snapshot | null {
  return pending === null && approved === null && sameSelection(selectionOf(config), wanted) ? active : null
}
