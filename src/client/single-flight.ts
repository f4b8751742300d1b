// Coalesces concurrent requests with the same key into one. A caller that aborts leaves the request to the others; when all have aborted, it is
// cancelled.

interface Flight {
  readonly promise: Promise<unknown>
  readonly controller: AbortController
  waiting: number
}

export interface SingleFlight {
  /** Joins the open request for this key, or starts one. The signal affects only this caller. */
  join<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Later callers do not join the requests that are open now. */
  part(these: (key: string) => boolean): void
}

export function singleFlight(): SingleFlight {
  const flights = new Map<string, Flight>()

  const leave = (key: string, flight: Flight): void => {
    if (flights.get(key) === flight) flights.delete(key)
  }

  function start<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Flight {
    const controller = new AbortController()
    const flight: Flight = { promise: ask(controller.signal), controller, waiting: 0 }
    flights.set(key, flight)
    flight.promise.then(
      () => leave(key, flight),
      () => leave(key, flight),
    )
    return flight
  }

  return {
    async join<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
      signal.throwIfAborted()
      const flight = flights.get(key) ?? start(key, ask)
      flight.waiting += 1
      let giveUp = (): void => {}
      const givenUp = new Promise<never>((_, reject) => {
        giveUp = () => reject(signal.reason)
        signal.addEventListener('abort', giveUp, { once: true })
      })
      try {
        return (await Promise.race([flight.promise, givenUp])) as T
      } finally {
        signal.removeEventListener('abort', giveUp)
        flight.waiting -= 1
        if (flight.waiting === 0 && signal.aborted) {
          leave(key, flight)
          flight.controller.abort(signal.reason)
        }
      }
    },
    part(these) {
      for (const key of [...flights.keys()].filter(these)) flights.delete(key)
    },
  }
}
