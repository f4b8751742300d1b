// Finds everything in a file beside the tables and indexes of a record. A trigger changes data without a trace in any event.
import type { Projection } from '../../../core/record/projection.ts'
import { Fault } from '../../../errors.ts'
import type { StrangeSchema } from '../../../ports.ts'
import { type Database, openScratch } from '../database.ts'
import { createTables } from '../projection-tables.ts'
import { SETTING } from '../rebuild.ts'
import { STEPS } from '../schema.ts'

/** By type and name: the statement that made it. SQLite's own statistics are left out: they only choose between plans. */
function schemaOf(database: Database): ReadonlyMap<string, string> {
  const rows = database.prepare("SELECT type, name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_stat*' ORDER BY type, name").all()
  return new Map(
    (rows as unknown as { type: string; name: string; sql: string | null }[]).map(({ type, name, sql }) => [
      `${type} ${name}`,
      comparable(name, String(sql ?? '').replaceAll(/\s+/g, ' ')),
    ]),
  )
}

/** A declaration in the file names its columns in the order of the alphabet; its table may have been made in another. */
const comparable = (name: string, sql: string): string =>
  name.startsWith('p_')
    ? sql
        .split(/, | \(|\)/)
        .sort()
        .join()
    : sql

function expectedSchema(projections: readonly Projection[]): ReadonlyMap<string, string> {
  const database = openScratch()
  try {
    for (const step of STEPS) database.exec(step)
    createTables(database, projections)
    return schemaOf(database)
  } finally {
    database.close()
  }
}

export function strangeSchema(database: Database, projections: readonly Projection[]): readonly StrangeSchema[] {
  const [expected, found] = [expectedSchema(projections), schemaOf(database)]
  const settings = database.prepare('SELECT name FROM settings WHERE name <> ?').all(SETTING) as unknown as { name: string }[]
  return [
    ...[...found.keys()].filter(name => !expected.has(name)).map(name => ({ name, code: 'schema_unknown' as const })),
    ...[...expected.keys()].filter(name => !found.has(name)).map(name => ({ name, code: 'schema_missing' as const })),
    ...[...expected]
      .filter(([name, sql]) => found.has(name) && found.get(name) !== sql)
      .map(([name]) => ({ name, code: 'schema_differs' as const })),
    ...settings.map(({ name }) => ({ name: `setting ${name}`, code: 'schema_unknown' as const })),
  ]
}

/** Refuses a file with a trigger or a view: no record has one. Asks again only when the tables of the file have changed. */
export function refusingTriggers(database: Database, path: string): () => void {
  const version = database.prepare('PRAGMA schema_version')
  const planted = database.prepare(
    "SELECT type || ' ' || name AS name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name LIMIT 1",
  )
  let checked = -1
  return () => {
    const { schema_version: now } = version.get() as { schema_version: number }
    if (now === checked) return
    const found = planted.get() as { name: string } | undefined
    if (found !== undefined) throw new Fault('store_altered', { path, found: found.name })
    checked = now
  }
}
