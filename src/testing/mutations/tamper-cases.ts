// Runs cases of tampering: each does its harm to a copy of the same record, and says exactly what a verification must find.
import { expect, it } from 'vitest'
import type { Database } from '../../adapters/sqlite-store/database.ts'
import { damagedCopy, describeBreaks, makeRecord, rebuilt, type TamperRecord, type Verifying, verifyCopy } from './tamper-record.ts'

export interface TamperCase extends Verifying {
  readonly damage: (database: Database) => unknown
  /** Everything that follows from the events is made to fit what was done to them. */
  readonly careful?: boolean
  readonly breaks: readonly string[]
  /** 5 when nothing is said. */
  readonly unsealed?: number
  /** 1 when nothing is said. */
  readonly erased?: number
}

let made: Promise<TamperRecord> | null = null
export function theRecord(): Promise<TamperRecord> {
  made ??= makeRecord()
  return made
}

export function tamperCases(cases: Readonly<Record<string, TamperCase>>): void {
  it.each(Object.entries(cases))('%s', async (_, { damage, careful = false, breaks, unsealed = 5, erased = 1, ...verifying }) => {
    const record = await theRecord()
    const path = await damagedCopy(record.path, damage)
    const verified = await verifyCopy(record, careful ? await rebuilt(path) : path, verifying)
    const found = { breaks: describeBreaks(record, verified.breaks), unsealed: verified.unsealed, erased: verified.erased }
    expect(found).toEqual({ breaks, unsealed, erased })
    expect(verified.intact).toBe(breaks.length === 0)
  })
}
