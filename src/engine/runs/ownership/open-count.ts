// Counts each tenant's open runs in this process: claimed by it, and not ended.

export interface OpenCount {
  of(tenant: string): number
  note(tenant: string, runId: string, isOpen: boolean): void
}

export function openCount(): OpenCount {
  const runs = new Map<string, Set<string>>()
  return {
    of: tenant => runs.get(tenant)?.size ?? 0,
    note(tenant, runId, isOpen) {
      const known = runs.get(tenant) ?? new Set()
      if (isOpen) runs.set(tenant, known.add(runId))
      else if (known.delete(runId) && known.size === 0) runs.delete(tenant)
    },
  }
}
