// Answers that may change: how old they are is always said, and an old one is given only to who asked for it.
import { ClientError, isGone, isUnreachable } from './client-error.ts'
import { ageOf, type Instant, instant } from './instant.ts'
import { singleFlight } from './single-flight.ts'
import { limitTime } from './time-limit.ts'
import type { CallOptions } from './transport.ts'

export interface ReadOptions extends CallOptions {
  /** How old an answer may be. 0, unless said otherwise: ask, or join who is asking. */
  readonly maxAgeMs?: number
  /** How old it may be when the host cannot be asked, or no longer has it. Then it is marked stale. */
  readonly staleIfErrorMs?: number
}

export interface Freshness {
  readonly source: 'host' | 'memory' | 'offline'
  /** Since the host was asked; null when a snapshot does not say. */
  readonly ageMs: number | null
  /** The host could not confirm it: `error` says why. */
  readonly stale: boolean
  readonly error: ClientError | null
}

export interface Held<T> {
  readonly value: T
  /** When it was asked for. Null: nobody knows. */
  readonly at: Instant | null
  readonly source: Freshness['source']
}

export interface Answer<T> {
  readonly value: T
  readonly freshness: Freshness
}

export interface Kept {
  /** From memory when it is young enough, else from the host, once for all who ask meanwhile. */
  fresh<T>(key: string, options: ReadOptions, ask: (signal: AbortSignal, known: T | null) => Promise<T>): Promise<Held<T>>
  /** What `ask` gives; when it fails, what was last given or `offline` has, if the caller bears its age. */
  orStale<T>(key: string, options: ReadOptions, ask: () => Promise<Held<T>>, offline: () => Held<T> | null): Promise<Answer<T>>
  /** After a write: nothing that was asked about this template before answers for what comes after. */
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
        // Who gave a snapshot asked to be served without a host; who did not must ask each time. A host that says "gone" is there.
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
