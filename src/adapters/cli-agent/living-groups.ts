// Groups of processes that must not outlive this one. Does nothing while this process ends in an orderly way: then whoever started them ends them.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const living = new Set<() => void>()

const killAll = (): void => {
  for (const kill of living) kill()
}

function onSignal(signal: NodeJS.Signals): void {
  // Somebody else ends this process, and cancels what is under way.
  if (process.listenerCount(signal) > 1) return
  killAll()
  process.removeListener(signal, onSignal)
  process.kill(process.pid, signal)
}

/** What is given back forgets it. */
export function dieWithUs(kill: () => void): () => void {
  if (living.size === 0) {
    process.on('exit', killAll)
    // Before all others: one that listens only once is gone when it was told.
    for (const signal of SIGNALS) process.prependListener(signal, onSignal)
  }
  living.add(kill)
  return () => {
    living.delete(kill)
    if (living.size > 0) return
    process.removeListener('exit', killAll)
    for (const signal of SIGNALS) process.removeListener(signal, onSignal)
  }
}
