// Drops objects that neither an event nor a node references. Uses short transactions: other writers come in between, so each object is
// checked where it is dropped.
import type { Database } from './database.ts'
import type { Statements } from './statements.ts'
import { transactionWhenFree } from './when-free.ts'

/** Rows in one transaction, more or less: few enough that writers do not wait long. */
const AT_ONCE = 500

interface IdRow {
  readonly id: number
}

/** How many were dropped. @param forget called before an object is dropped */
export async function collectUnreferenced(database: Database, statements: Statements, before: string, forget: () => void): Promise<number> {
  const unreferenced = (from: number, to: number) =>
    (statements.unreferenced.all(from, to, before, AT_ONCE) as unknown as IdRow[]).map(({ id }) => id)
  let next = 0
  let dropped = 0
  /** Objects that dropped nodes referenced: they may lie before the place that the scan has reached. */
  const freed: number[] = []

  const candidates = (): readonly number[] => {
    if (freed.length > 0) return [...new Set(freed.splice(-AT_ONCE))].flatMap(id => unreferenced(id, id))
    const ids = unreferenced(next, Number.MAX_SAFE_INTEGER)
    next = (ids.at(-1) ?? next) + 1
    return ids
  }

  const drop = (id: number): number => {
    const links = statements.links.all(id) as unknown as IdRow[]
    for (const link of links) freed.push(link.id)
    forget()
    statements.dropLinks.run(id)
    statements.dropChunks.run(id)
    statements.dropObject.run(id)
    dropped++
    return 1 + links.length
  }

  const dropSome = (): boolean => {
    const scanning = freed.length === 0
    const ids = candidates()
    let rows = 0
    for (const id of ids) {
      if (rows < AT_ONCE) rows += drop(id)
      else freed.push(id)
    }
    return !scanning || ids.length > 0
  }

  while (await transactionWhenFree(database, dropSome)) await new Promise(resolve => setImmediate(resolve))
  return dropped
}
