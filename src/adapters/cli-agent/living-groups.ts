// Kills process groups that must not outlive this process. Does nothing on an orderly exit: then the code that started them ends them.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const living = new Set<() => void>()

const killAll = (): void => {
  for (const kill of living) kill()
}

function onSignal(signal: NodeJS.Signals): void {
  // Another listener ends this process, and cancels current work.
  if (process.listenerCount(signal) > 1) return
  killAll()
  process.removeListener(signal, onSignal)
  process.kill(process.pid, signal)
}

/** Returns a function that unregisters `kill`. */
export function dieWithUs(kill: () => void): () => void {
  if (living.size === 0) {
    process.on('exit', killAll)
    // Runs before all others: a once-listener is gone from the count after it has run.
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
