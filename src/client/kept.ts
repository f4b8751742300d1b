// Caches answers that may change. Every answer reports its age, and the cache serves an old one only to callers that allow it.
import { ClientError, isGone, isUnreachable } from './client-error.ts'
import { ageOf, type Instant, instant } from './instant.ts'
import { singleFlight } from './single-flight.ts'
import { limitTime } from './time-limit.ts'
import type { CallOptions } from './transport.ts'

export interface ReadOptions extends CallOptions {
  /** The greatest age of a cached answer. Default: 0, which asks the host or joins a request that is under way. */
  readonly maxAgeMs?: number
  /** The greatest age of an answer when the host is unreachable or no longer has it. Such an answer is marked stale. */
  readonly staleIfErrorMs?: number
}

export interface Freshness {
  readonly source: 'host' | 'memory' | 'offline'
  /** Milliseconds since the host was asked; null when a snapshot has no time. */
  readonly ageMs: number | null
  /** The host could not confirm the answer; `error` has the reason. */
  readonly stale: boolean
  readonly error: ClientError | null
}

export interface Held<T> {
  readonly value: T
  /** The time of the request; null when it is unknown. */
  readonly at: Instant | null
  readonly source: Freshness['source']
}

export interface Answer<T> {
  readonly value: T
  readonly freshness: Freshness
}

export interface Kept {
  /** From memory when the answer is young enough, else from the host. Concurrent requests for the same key are coalesced. */
  fresh<T>(key: string, options: ReadOptions, ask: (signal: AbortSignal, known: T | null) => Promise<T>): Promise<Held<T>>
  /** The result of `ask`. When that fails: the last answer, or the one of `offline`, if the caller allows its age. */
  orStale<T>(key: string, options: ReadOptions, ask: () => Promise<Held<T>>, offline: () => Held<T> | null): Promise<Answer<T>>
  /** Called after a write: answers about this template from before the write are not served any more. */
  forget(templateId: string): void
}

export function keptAnswers(defaults: { readonly timeoutMs: number; readonly hasOffline: boolean }): Kept {
  const flights = singleFlight()
  const young = new Map<string, Held<unknown>>()
  const last = new Map<string, Held<unknown>>()
  let epoch = 0

  return {
    async fresh<T>(key: string, options: ReadOptions, ask: (signal: AbortSignal, known: T | null) => Promise<T>): Promise<Held<T>> {
      const known = young.get(key) as Held<T> | undefined
      const { maxAgeMs = 0, timeoutMs = defaults.timeoutMs } = options
      if (known !== undefined && maxAgeMs > 0 && ageOf(known.at!) <= maxAgeMs) return { ...known, source: 'memory' }
      const { signal, done } = limitTime(timeoutMs, options.signal)
      const go = async (shared: AbortSignal): Promise<Held<T>> => {
        const [at, begun] = [instant(), epoch]
        const held: Held<T> = { value: await ask(shared, known?.value ?? null), at, source: 'host' }
        if (epoch === begun) young.set(key, held)
        return held
      }
      try {
        return await flights.join(key, go, signal)
      } finally {
        done()
      }
    },

    async orStale<T>(key: string, options: ReadOptions, ask: () => Promise<Held<T>>, offline: () => Held<T> | null): Promise<Answer<T>> {
      try {
        const held = await ask()
        last.set(key, held)
        return answer(held, null)
      } catch (error) {
        if (!(error instanceof ClientError) || !(isUnreachable(error) || isGone(error))) throw error
        // A caller that configured a snapshot wants answers without a host. Any other caller opts in for each read. A host that answers "gone" is
        // reachable.
        const most = options.staleIfErrorMs ?? (defaults.hasOffline && isUnreachable(error) ? Number.POSITIVE_INFINITY : 0)
        if (most <= 0) throw error
        const held = (last.get(key) as Held<T> | undefined) ?? offline()
        if (held === null || (held.at === null ? Number.POSITIVE_INFINITY : ageOf(held.at)) > most) throw error
        return answer(held.source === 'host' ? { ...held, source: 'memory' } : held, error)
      }
    },

    forget(templateId) {
      const isAbout = (key: string): boolean => key.endsWith(` ${templateId}`)
      epoch += 1
      flights.part(isAbout)
      for (const key of [...young.keys()].filter(isAbout)) young.delete(key)
    },
  }
}

export const answer = <T>({ value, at, source }: Held<T>, error: ClientError | null): Answer<T> => ({
  value,
  freshness: { source, ageMs: at === null ? null : ageOf(at), stale: error !== null, error },
})
