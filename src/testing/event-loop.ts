// How long the event loop of this process was busy at a time while something ran.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 1
const NS_PER_MS = 1e6

export interface Watched<T> {
  readonly value: T
  readonly tookMs: number
  /** The longest time in which nothing else had a turn. */
  readonly longestMs: number
}

export async function watchEventLoop<T>(work: () => Promise<T>): Promise<Watched<T>> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const began = performance.now()
  try {
    const value = await work()
    return { value, tookMs: performance.now() - began, longestMs: delay.max / NS_PER_MS }
  } finally {
    delay.disable()
  }
}
