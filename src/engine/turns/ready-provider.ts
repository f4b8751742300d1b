// A provider that lacks something on this machine. A new run is refused; a run that is on record waits and goes on when the thing is there.
import type { Performing, TurnParts } from './performing.ts'

const RECHECK_MS = 5_000

/** Throws for the first provider that is not ready. */
export async function checkReady({ models }: Pick<TurnParts, 'models'>, providers: Iterable<string>): Promise<void> {
  for (const provider of providers) {
    const lacking = provider === '' ? null : ((await models.unready?.(provider)) ?? null)
    if (lacking !== null) throw lacking
  }
}

/**
 * Waits until the provider is ready. False when the work is to be left: the signal aborted, or no host can wait.
 * The step stays open, and the next start with the missing thing in place resumes it.
 */
export async function untilReady({ parts, place, signal }: Performing, provider: string): Promise<boolean> {
  const { models, waits, wait, failed } = parts
  try {
    for (;;) {
      const lacking = (await models.unready?.(provider)) ?? null
      if (lacking === null) return true
      if (waits === undefined) failed(lacking, place)
      if (waits === undefined || signal.aborted) return false
      waits.begin(place, provider, lacking)
      await wait(RECHECK_MS, signal)
    }
  } finally {
    waits?.end(place)
  }
}
