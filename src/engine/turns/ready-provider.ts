// A provider that lacks something on this machine. A new run is refused; a run that is on record waits and goes on when the thing is there.
import type { Performing, TurnParts } from './performing.ts'

const RECHECK_MS = 5_000

/** Throws for the first of these that cannot be asked. */
export async function checkReady({ models }: Pick<TurnParts, 'models'>, providers: Iterable<string>): Promise<void> {
  for (const provider of providers) {
    const lacking = provider === '' ? null : ((await models.unready?.(provider)) ?? null)
    if (lacking !== null) throw lacking
  }
}

/**
 * Waits until the provider can be asked. False when the work is to be left as it is: the signal aborted, or there is no host that could
 * wait. The step stays open, and the next start with the thing in place takes it up.
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
