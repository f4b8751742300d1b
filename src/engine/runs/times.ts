// Derives the deadlines of a run from its state: expiring approvals, awaited replies, and the time limit of the run.
import { isEnded } from '../../core/run/state.ts'
import type { Deadlines } from '../work/deadlines.ts'
import type { LoadedRun } from './load.ts'

export interface Over {
  approval(tenant: string, runId: string, nodeId: string, approval: string): Promise<void>
  reply(tenant: string, runId: string, handoff: string): Promise<void>
  budget(tenant: string, runId: string, detail: string): Promise<void>
  begin(tenant: string, runId: string, work: () => Promise<void>): void
}

interface Due {
  readonly at: number
  readonly over: () => Promise<void>
}

export function timesOf(deadlines: Deadlines, over: Over): { watch(tenant: string, run: LoadedRun): void } {
  /** By run: the keys of the deadlines that are set. */
  const known = new Map<string, ReadonlySet<string>>()
  return {
    watch(tenant, run) {
      const { runId } = run.state
      const name = JSON.stringify([tenant, runId])
      const before = known.get(name) ?? new Set<string>()
      const due = isEnded(run.state) ? new Map<string, Due>() : dueOf(tenant, run, over)
      for (const key of before) if (!due.has(key)) deadlines.forget(key)
      for (const [key, { at, over: then }] of due) if (!before.has(key)) deadlines.set(key, at, () => over.begin(tenant, runId, then))
      if (due.size === 0) known.delete(name)
      else known.set(name, new Set(due.keys()))
    },
  }
}

function dueOf(tenant: string, { state, createdAt }: LoadedRun, over: Over): ReadonlyMap<string, Due> {
  const { runId, approvals, awaited, budget } = state
  const due = new Map<string, Due>()
  const keyOf = (...parts: readonly string[]): string => JSON.stringify([tenant, runId, ...parts])
  for (const { approval, nodeId, wants } of approvals)
    if (wants.kind === 'tool' && wants.expiresAt !== null)
      due.set(keyOf('approval', approval), { at: wants.expiresAt, over: () => over.approval(tenant, runId, nodeId, approval) })
  for (const { handoff, until } of awaited) due.set(keyOf('reply', handoff), { at: until, over: () => over.reply(tenant, runId, handoff) })
  const { milliseconds } = budget
  if (milliseconds !== null) {
    const detail = `the run may take ${milliseconds} ms, and they are over`
    due.set(keyOf('budget'), { at: Date.parse(createdAt) + milliseconds, over: () => over.budget(tenant, runId, detail) })
  }
  return due
}
