// Tracks nodes that wait for a provider that is not ready on this machine, for the log, /readyz, and answers about these nodes.
import type { ProviderWaits, TurnPlace } from '../../engine/turns/performing.ts'
import type { Clock } from '../../ports.ts'
import type { NodePlace } from '../hosted-sessions.ts'
import type { Readiness } from './readiness.ts'

export interface WaitingFor {
  readonly code: 'provider_unready'
  readonly provider: string
  readonly message: string
  /** When this host began to wait, ISO 8601. */
  readonly since: string
}

export interface HostWaits extends ProviderWaits {
  of(place: NodePlace): WaitingFor | null
}

/** @param warn called once for each node that begins to wait */
export function providerWaits(readiness: Readiness, clock: Clock, warn: (place: TurnPlace, waiting: WaitingFor) => void): HostWaits {
  const waiting = new Map<string, WaitingFor>()
  const keyOf = ({ tenant, runId, nodeId }: NodePlace): string => JSON.stringify([tenant, runId, nodeId])
  const update = (provider: string): void => {
    const those = [...waiting.values()].filter(one => one.provider === provider)
    const key = `provider ${provider}`
    if (those.length === 0) return readiness.remove(key)
    const many = those.length === 1 ? '1 node waits' : `${those.length} nodes wait`
    readiness.add(key, { code: 'provider_unready', message: `${many} for provider ${provider}. ${those[0]!.message}` })
  }
  return {
    begin(place, provider, { message }) {
      const before = waiting.get(keyOf(place))
      const isNew = before === undefined
      const since = before?.provider === provider ? before.since : clock()
      const one: WaitingFor = { code: 'provider_unready', provider, message, since }
      waiting.set(keyOf(place), one)
      update(provider)
      if (isNew) warn(place, one)
    },
    end(place) {
      const found = waiting.get(keyOf(place))
      waiting.delete(keyOf(place))
      if (found !== undefined) update(found.provider)
    },
    of: place => waiting.get(keyOf(place)) ?? null,
  }
}
