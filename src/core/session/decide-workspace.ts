// Decides about sync and apply. A requested snapshot is never replaced, and a failed sync replaces nothing.
import { applyPending } from './apply.ts'
import type { WorkspaceCommand } from './commands.ts'
import { selectionOf } from './config.ts'
import { type Draft, emit, type Ruling, refuse } from './draft.ts'
import { nameProblem } from './names.ts'
import { unprovenIn } from './snapshot.ts'
import type { WorkspaceState } from './state.ts'
import { checkedResult } from './sync-effects.ts'

type Of<T extends WorkspaceCommand['type']> = Extract<WorkspaceCommand, { readonly type: T }>

export function decideWorkspace(draft: Draft, command: WorkspaceCommand): Ruling {
  switch (command.type) {
    case 'requestSync':
      return requestSync(draft, command)
    case 'settleSync':
      return settleSync(draft, command)
    case 'requestApply':
      return requestApply(draft, command)
  }
}

function requestSync(draft: Draft, { selection = null, knownVersion = null }: Of<'requestSync'>): Ruling {
  const wanted = selection ?? selectionOf(draft.state.config)
  if (wanted === null) return refuse('workspace_unset', 'the session names no workspace; name one in the request')
  const misnamed = nameProblem(wanted)
  if (misnamed !== null) return refuse('name_invalid', misnamed)
  return emit(draft, { type: 'workspace.syncRequested', sync: draft.state.syncs + 1, selection: wanted, knownVersion })
}

function settleSync(draft: Draft, { sync, ...command }: Of<'settleSync'>): Ruling {
  const { syncing } = draft.state.workspace
  if (syncing?.sync !== sync) return refuse('sync_missing', `sync ${sync} is not open: a later one replaced it, or it is done`)
  const { selection } = syncing
  const result = checkedResult(command.result, selection)
  switch (result.outcome) {
    case 'failed': {
      const { stage, code, detail } = result
      return emit(draft, { type: 'workspace.syncFailed', sync, workspace: selection.workspace.name, stage, code, detail })
    }
    case 'unchanged':
      return emit(draft, { type: 'workspace.syncUnchanged', sync, workspace: result.workspace, version: result.version })
    case 'ready': {
      const { snapshot, packs = [] } = result
      const changed = packs.length === 0 ? {} : { packs }
      const ready = emit(draft, { type: 'workspace.snapshotReady', sync, snapshot, selection, ...changed })
      return { ...ready, objects: result.objects }
    }
  }
}

function requestApply(draft: Draft, { when = 'next_run', untested = false }: Of<'requestApply'>): Ruling {
  const { pending } = draft.state.workspace
  const unproven = pending === null || untested ? [] : unprovenIn(pending)
  if (unproven.length > 0)
    return refuse(
      'pack_untested',
      `${unproven.join(', ')} would become active, and its tests did not pass; nothing was changed. Give it tests that pass and sync again, or apply it all the same with --untested (over HTTP: "untested": true)`,
    )
  const events = applyPending(draft.state, when)
  return events === null ? refuse('nothing_pending', nothingPending(draft.state.workspace)) : emit(draft, ...events)
}

/** A caller whose last sync found nothing new is not advised to sync. */
function nothingPending({ approved, active }: WorkspaceState): string {
  if (approved !== null) return `nothing is pending: version ${approved.snapshot.version} is approved already, for the next ${approved.at}`
  if (active !== null) return `nothing is pending: version ${active.version} is active already, and no sync has found another`
  return 'nothing is pending: sync first'
}
