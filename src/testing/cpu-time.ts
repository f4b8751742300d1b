// Time as this process spends it, so that a busy machine does not count.

/** In milliseconds, of all its threads. */
export function cpuTimeOf(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
