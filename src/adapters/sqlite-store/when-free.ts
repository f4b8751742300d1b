// Waits for another writing process without blocking this one: retries up to a time limit.
import { setTimeout as sleep } from 'node:timers/promises'
import { BUSY_MS, type Database, transaction } from './database.ts'
import { isBusy } from './faults.ts'

const FIRST_MS = 2
const LONGEST_MS = 100

/** How long to wait before the next try. */
export const backOff = (last: number): number => (last === 0 ? FIRST_MS : Math.min(2 * last, LONGEST_MS))

/** @param work one short piece of work that changes nothing when the database is busy */
export async function whenFree<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_MS
  for (let pause = backOff(0); ; pause = backOff(pause)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await sleep(pause)
  }
}

/** All of it or nothing, as soon as no other process writes. */
export const transactionWhenFree = <T>(database: Database, work: () => T): Promise<T> =>
  whenFree(() => transaction(database, work, beginAtOnce))

/** Throws when another process writes, without waiting for it. */
function beginAtOnce(database: Database): void {
  database.exec('PRAGMA busy_timeout = 0')
  try {
    database.exec('BEGIN IMMEDIATE')
  } finally {
    database.exec(READ_TIMEOUT)
  }
}

/** Readers wait only while another process recovers the file or takes its log away: moments. */
export const READ_TIMEOUT = 'PRAGMA busy_timeout = 250'
