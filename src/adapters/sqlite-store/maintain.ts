// Maintains the file outside the record: checks that it can be written, and drops stored answers that are not needed any more.
import type { Database } from './database.ts'
import type { Statements } from './statements.ts'

/** Answers that are looked at in one transaction: others wait that long. */
const SLICE = 500

interface AnswerRow {
  readonly tenant: string
  readonly key: string
  readonly at: string | null
}

/** Writes one page and changes nothing. */
export function probe(database: Database, { begin, end, undo }: Statements): void {
  const [{ user_version: version }] = database.prepare('PRAGMA user_version').all() as unknown as [{ readonly user_version: number }]
  begin.run()
  try {
    database.exec(`PRAGMA user_version = ${version}`)
    end.run()
  } catch (error) {
    try {
      undo.run()
    } catch {
      // SQLite has rolled back by itself.
    }
    throw error
  }
}

export type AnswerKey = Pick<AnswerRow, 'tenant' | 'key'>
export const FIRST_ANSWER: AnswerKey = { tenant: '', key: '' }

/** One slice, in a transaction of its own. An answer without a time, of an older version, gets the present one. */
export function pruneAnswers(
  database: Database,
  { begin, end, undo }: Statements,
  { tenant, key }: AnswerKey,
  before: string,
  now: string,
) {
  const rows = database
    .prepare(
      `SELECT tenant, key, json_extract(answer, '$.at') AS at FROM answers WHERE (tenant, key) > (?, ?) ORDER BY tenant, key LIMIT ${SLICE}`,
    )
    .all(tenant, key) as unknown as AnswerRow[]
  const old = rows.filter(({ at }) => at !== null && at < before)
  const undated = rows.filter(({ at }) => at === null)
  if (old.length + undated.length > 0) {
    const drop = database.prepare('DELETE FROM answers WHERE tenant = ? AND key = ?')
    const date = database.prepare(`UPDATE answers SET answer = json_set(answer, '$.at', ?) WHERE tenant = ? AND key = ?`)
    begin.run()
    try {
      for (const row of old) drop.run(row.tenant, row.key)
      for (const row of undated) date.run(now, row.tenant, row.key)
      end.run()
    } catch (error) {
      undo.run()
      throw error
    }
  }
  return { dropped: old.length, next: rows.length < SLICE ? null : rows.at(-1)! }
}
