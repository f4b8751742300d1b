// @ts-check
// The peer: SQLite alone, with group commit, the same durability and the same bytes; no chain, no projections, nothing checked.
import { createRequire } from 'node:module'

const builtIn = /** @type {any} */ (process).getBuiltinModule?.('node:sqlite')
const { DatabaseSync } = builtIn ?? createRequire(import.meta.url)('@photostructure/sqlite')

/** @param {string} path */
export function bareStore(path) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE events (stream INTEGER, seq INTEGER, bytes BLOB, UNIQUE (stream, seq))')
  database.exec('CREATE TABLE objects (digest BLOB PRIMARY KEY, bytes BLOB)')
  const [begin, end] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')]
  const addEvent = database.prepare('INSERT INTO events (stream, seq, bytes) VALUES (?, ?, ?)')
  const addObject = database.prepare('INSERT OR IGNORE INTO objects (digest, bytes) VALUES (?, ?)')
  const getObject = database.prepare('SELECT bytes FROM objects WHERE digest = ?')
  /** @type {{ write: () => void, resolve: (value?: unknown) => void }[]} */
  let waiting = []

  const flush = () => {
    const group = waiting
    waiting = []
    begin.run()
    for (const { write } of group) write()
    end.run()
    for (const { resolve } of group) resolve()
  }
  /** @param {() => void} write */
  const commit = write =>
    new Promise(resolve => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ write, resolve })
    })

  return {
    /** @param {number} stream @param {number} seq @param {Uint8Array} bytes */
    append: (stream, seq, bytes) => commit(() => addEvent.run(stream, seq, bytes)),
    /** @param {Uint8Array} digest @param {Uint8Array} bytes */
    put: (digest, bytes) => commit(() => addObject.run(digest, bytes)),
    /** @param {Uint8Array} digest */
    get: digest => getObject.get(digest).bytes,
    close: () => database.close(),
  }
}
