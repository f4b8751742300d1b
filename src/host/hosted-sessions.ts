// What the host is handed to keep sessions: who does the work, which tools are bound, and what a model is saying at this moment.
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
  /** All that the operator allows. */
  readonly policy: PlacedPolicy
  readonly servers?: ToolServers
  readonly adopted?: AdoptedTools
  /** Which tools the host shows a model by itself. */
  readonly offers?: (tool: string) => boolean
  readonly live: Live
  /** Which of them wait for a provider. */
  readonly waits?: HostWaits
  /** For schemas that callers bring. */
  readonly validator: Validator
}

/** A node of a run. */
export interface NodePlace extends NodeOfRun {
  readonly tenant: string
}

/** A reader follows one node, or one lasting session whatever run works in it. */
export type Followed = NodePlace | { readonly tenant: string; readonly session: string }

/** Pieces of replies on their way. They are not kept: the record has the whole. */
export interface Live {
  say(place: NodePlace & { readonly session: string | null }, delta: Delta): void
  /** Until the signal aborts. */
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
