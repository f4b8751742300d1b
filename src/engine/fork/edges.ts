// The surroundings of a replayed run: empty. Code that needs a model, a tool, a secret or a policy here needs something
// that the record does not hold, and gets a fault.
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { TurnParts } from '../turns/performing.ts'

/** @param now the only clock there is */
export function sealedParts(store: Store, runId: string, now: number): TurnParts {
  const missing = (what: string): never => {
    throw new Fault('replay_source_missing', { runId, what })
  }
  return {
    store,
    models: { call: async () => missing('what the model said') },
    secrets: () => ({ get: async () => missing('a secret') }),
    validator: { ask: async () => missing('what a schema says'), close: async () => {} },
    bindings: new Map(),
    hostCatalog: null,
    grants: [],
    policy: () => missing('the policy of workspaces'),
    wait: async () => {},
    failed: error => {
      throw error
    },
    now: () => now,
    newId: () => missing('an id'),
  }
}
