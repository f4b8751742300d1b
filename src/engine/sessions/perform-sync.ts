// Runs a sync plan against the workspaces of a tenant: every effect is checked against what the plan declares and what the session may use.
import { runPlan, type SyncInput, type SyncPlan, type SyncResult } from '../../core/session/sync.ts'
import type { Answer, WorkspaceEffect } from '../../core/session/sync-effects.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { listFiles, readBytes, readRef } from '../workspaces/read.ts'
import { resolveWorkspace, type WorkspaceUser } from '../workspaces/versions.ts'

export async function performSync(store: Store, user: WorkspaceUser, plan: SyncPlan, input: SyncInput): Promise<SyncResult> {
  const running = runPlan(plan, input)
  let step = running.next()
  while (!step.done) step = running.next(await perform(store, user, step.value))
  return step.value
}

/** A refusal is an answer: the plan says where it broke off. Any other error is a defect, and ends the sync. */
async function perform(store: Store, user: WorkspaceUser, effect: WorkspaceEffect): Promise<Answer> {
  try {
    return { ok: true, value: await answerTo(store, user, effect) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ok: false, code: error.code, detail: error.message }
  }
}

async function answerTo(store: Store, user: WorkspaceUser, effect: WorkspaceEffect): Promise<Extract<Answer, { ok: true }>['value']> {
  if (effect.type === 'workspace.resolve') {
    const found = await resolveWorkspace(store, user, { workspace: effect.workspace, version: effect.version ?? undefined })
    return found.exists ? { version: found.version, root: found.root } : null
  }
  const { workspace, root, path } = effect
  switch (effect.type) {
    case 'workspace.readRef':
      return readRef(store, user, { workspace, root }, path)
    case 'workspace.readBytes':
      return readBytes(store, user, { workspace, root }, path)
    case 'workspace.list':
      return listFolder(store, user, effect)
  }
}

async function listFolder(store: Store, user: WorkspaceUser, { workspace, root, path }: Extract<WorkspaceEffect, { path: string }>) {
  const found = await readRef(store, user, { workspace, root }, path)
  if (found?.kind !== 'dir') return null
  const { entries } = await listFiles(store, user, { workspace, root, path })
  return entries.map(entry => ({ name: entry.path.slice(path.length + 1), kind: entry.kind }))
}
