// Repeats an action at an interval, one at a time. A failure is reported, and the action runs again the next time.

export interface Interval {
  /** Ends the repetition, and resolves when the current action is done. */
  stop(): Promise<void>
}

export function startInterval(work: () => Promise<unknown>, everyMs: number, failed: (error: unknown) => void): Interval {
  let doing: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    doing = doing.then(work).catch(failed)
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await doing
    },
  }
}
