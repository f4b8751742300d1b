// The parts that a host needs to run sessions: the workers, the bound tools, and the live output of models.
import type { Grant } from '../core/gate/grants.ts'
import type { PlacedPolicy } from '../core/gate/read-policy.ts'
import type { NodeOfRun } from '../core/session/events.ts'
import type { ForkWork } from '../engine/fork/forks.ts'
import type { RunWork } from '../engine/runs/work.ts'
import type { SessionWork } from '../engine/sessions/work.ts'
import type { AdoptedTools, ToolServers } from '../engine/tools/adopted-tools.ts'
import type { Binding, Delta, Validator } from '../ports.ts'
import type { HostWaits } from './operation/provider-waits.ts'

export interface HostedSessions {
  readonly work: SessionWork
  readonly runs: RunWork
  readonly forks: ForkWork
  readonly bindings: ReadonlyMap<string, Binding>
  readonly grants: readonly Grant[]
  /** The operator's whole policy. */
  readonly policy: PlacedPolicy
  readonly servers?: ToolServers
  readonly adopted?: AdoptedTools
  /** Whether the host offers a tool to a model by default. */
  readonly offers?: (tool: string) => boolean
  readonly live: Live
  /** Nodes that wait for a provider. */
  readonly waits?: HostWaits
  /** Validates against schemas that callers send. */
  readonly validator: Validator
}

/** A node of a run. */
export interface NodePlace extends NodeOfRun {
  readonly tenant: string
}

/** A reader follows one node, or one lasting session across its runs. */
export type Followed = NodePlace | { readonly tenant: string; readonly session: string }

/** Pieces of unfinished replies. They are not stored: the record has the whole reply. */
export interface Live {
  say(place: NodePlace & { readonly session: string | null }, delta: Delta): void
  /** Listens until the signal aborts. */
  hear(followed: Followed, signal: AbortSignal, listen: (delta: Delta) => void): void
}

export function liveDeltas(): Live {
  const listeners = new Map<string, Set<(delta: Delta) => void>>()
  const keyOf = (followed: Followed): string =>
    JSON.stringify('session' in followed ? [followed.tenant, followed.session] : [followed.tenant, followed.runId, followed.nodeId])
  const sayTo = (followed: Followed, delta: Delta): void => {
    for (const listen of listeners.get(keyOf(followed)) ?? []) listen(delta)
  }
  return {
    say({ tenant, runId, nodeId, session }, delta) {
      sayTo({ tenant, runId, nodeId }, delta)
      if (session !== null) sayTo({ tenant, session }, delta)
    },
    hear(followed, signal, listen) {
      if (signal.aborted) return
      const key = keyOf(followed)
      const all = listeners.get(key) ?? new Set()
      listeners.set(key, all.add(listen))
      signal.addEventListener('abort', () => {
        all.delete(listen)
        if (all.size === 0) listeners.delete(key)
      })
    },
  }
}
