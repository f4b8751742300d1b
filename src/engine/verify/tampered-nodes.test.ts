// Every way to tamper with nodes and what is noted of them, and exactly what a verification says about it.
import { describe } from 'vitest'
import type { Database } from '../../adapters/sqlite-store/database.ts'
import { digestBytes } from '../../core/digest/digest.ts'
import { tamperCases } from '../../testing/mutations/tamper-cases.ts'
import { OBJECTS, type ObjectName, ODD, objectId } from '../../testing/mutations/tamper-record.ts'

type Damage = (database: Database) => unknown
const allOf =
  (...damages: readonly Damage[]): Damage =>
  database => {
    for (const damage of damages) damage(database)
  }
const unlink =
  (node: ObjectName, object: ObjectName): Damage =>
  database =>
    database.prepare('DELETE FROM links WHERE parent_id = ? AND object_id = ?').run(objectId(database, node), objectId(database, object))
const link =
  (node: ObjectName, idOf: (database: Database) => number): Damage =>
  database =>
    database.prepare('INSERT INTO links VALUES (?, ?)').run(objectId(database, node), idOf(database))
const the = (name: ObjectName) => (database: Database) => objectId(database, name)
const on =
  (name: ObjectName, sql: string): Damage =>
  database =>
    database.prepare(`${sql} = ?`).run(objectId(database, name))
const setBytes =
  (name: ObjectName, bytes: Uint8Array): Damage =>
  database =>
    database.prepare('UPDATE objects SET size = ?, bytes = ? WHERE id = ?').run(bytes.length, bytes, objectId(database, name))

const DROP = 'DELETE FROM objects WHERE id'
const EMPTY = 'UPDATE objects SET size = NULL, bytes = NULL WHERE id'
const UNLINK_ALL = 'DELETE FROM links WHERE parent_id'
const WITHOUT_PAGE = new TextEncoder().encode(
  new TextDecoder().decode(OBJECTS.folder).replace(`"${digestBytes(OBJECTS.page)}"`, '"nothing"'),
)

describe('what is noted of a node', () => {
  tamperCases({
    'is taken away': { damage: unlink('tree', 'folder'), breaks: ['acme run/43 2 reference_missing *folder in *tree'] },
    'is taken away, further down': { damage: unlink('folder', 'page'), breaks: ['acme run/43 2 reference_missing *page in *folder'] },
    'is taken away, though what it named is erased': {
      damage: unlink('folder', 'gone'),
      breaks: ['acme run/43 2 reference_missing *gone in *folder'],
    },
    'is taken away from one in several pieces': {
      damage: unlink('list', 'page'),
      breaks: ['acme run/43 2 reference_missing *page in *list'],
    },
    'is all taken away': {
      damage: on('tree', UNLINK_ALL),
      breaks: ['acme run/43 2 reference_missing *folder in *tree', 'acme run/43 2 reference_missing *small in *tree'],
    },
    'is more': { damage: link('tree', the('other')), breaks: ['acme run/43 2 reference_unknown *other in *tree'] },
    'is what it calls a hash': { damage: link('folder', the('other')), breaks: ['acme run/43 2 reference_unknown *other in *folder'] },
    'leads to nothing': { damage: link('tree', () => 4711), breaks: ['acme run/43 2 reference_unknown in *tree'] },
    'leads to another tenant’s object': {
      damage: link('tree', database => objectId(database, 'shared', ODD)),
      breaks: ['acme run/43 2 reference_unknown in *tree'],
    },
    'leads back to where it came from': {
      damage: link('folder', the('tree')),
      breaks: ['acme run/43 2 reference_unknown *tree in *folder'],
    },
    'leads in a ring that no event leads to': {
      damage: link('loose', the('loose')),
      breaks: ['acme reference_unknown *loose in *loose'],
    },
    'leads to another object': {
      damage: database =>
        database
          .prepare('UPDATE links SET object_id = ? WHERE parent_id = ? AND object_id = ?')
          .run(objectId(database, 'other'), objectId(database, 'tree'), objectId(database, 'folder')),
      breaks: ['acme run/43 2 reference_missing *folder in *tree', 'acme run/43 2 reference_unknown *other in *tree'],
    },
    'is of an object that is no node': {
      damage: link('small', the('other')),
      breaks: ['acme run/42 0 reference_unknown *other in *small'],
    },
    'is of one in pieces that is no node': {
      damage: link('big', the('other')),
      breaks: ['acme run/42 3 reference_unknown *other in *big'],
    },
    'is of an erased object': { damage: link('gone', the('page')), breaks: ['acme run/42 3 reference_unknown *page in *gone'] },
    'is of an object that is not there': {
      damage: database => database.exec('INSERT INTO links VALUES (4711, 1)'),
      breaks: ['stream_missing'],
    },
    'is of something that is no number': {
      damage: database => database.exec("INSERT INTO links VALUES ('tree', 1)"),
      breaks: ['stream_missing'],
    },
    'is nowhere: the table is gone': {
      damage: database => database.exec('DROP TABLE links'),
      breaks: ['store_corrupt'],
      unsealed: 0,
      erased: 0,
    },
  })
})

describe('what a node speaks of', () => {
  tamperCases({
    'is gone': {
      damage: on('page', DROP),
      breaks: ['acme run/43 2 object_missing *page in *folder', 'acme run/43 2 object_missing *page in *list'],
    },
    'is gone, with what was noted of it': {
      damage: allOf(on('page', 'DELETE FROM links WHERE object_id'), on('page', DROP)),
      breaks: ['acme run/43 2 reference_missing *page in *folder', 'acme run/43 2 reference_missing *page in *list'],
    },
    'is gone, with one of two notes of it': {
      damage: allOf(unlink('list', 'page'), on('page', DROP)),
      breaks: ['acme run/43 2 object_missing *page in *folder', 'acme run/43 2 reference_missing *page in *list'],
    },
    'has lost its bytes, and nobody erased it': {
      damage: on('page', EMPTY),
      breaks: ['acme run/43 2 object_missing *page in *folder'],
    },
    'has other bytes': { damage: setBytes('page', OBJECTS.other), breaks: ['acme run/43 2 object_corrupt *page in *folder'] },
    'is a node, and gone with all it speaks of': {
      damage: allOf(on('folder', UNLINK_ALL), on('folder', DROP)),
      breaks: ['acme run/43 2 object_missing *folder in *tree'],
    },
  })
})

describe('a node', () => {
  tamperCases({
    'has other bytes': { damage: setBytes('tree', OBJECTS.folder), breaks: ['acme run/43 2 object_corrupt *tree'] },
    'has other bytes, further down, and what is noted fits': {
      damage: allOf(setBytes('folder', WITHOUT_PAGE), unlink('folder', 'page')),
      breaks: ['acme run/43 2 object_corrupt *folder in *tree'],
    },
    'has another name and its bytes, and what is noted fits': {
      damage: allOf(unlink('folder', 'page'), setBytes('folder', WITHOUT_PAGE), database =>
        database
          .prepare('UPDATE objects SET digest = ? WHERE id = ?')
          .run(Buffer.from(digestBytes(WITHOUT_PAGE).slice('sha256:'.length), 'hex'), objectId(database, 'folder')),
      ),
      breaks: ['acme run/43 2 reference_missing *folder in *tree', 'acme run/43 2 reference_unknown ? in *tree'],
    },
    'is no node any more': { damage: setBytes('tree', OBJECTS.small), breaks: ['acme run/43 2 object_corrupt *tree'] },
    'has lost its bytes, and nobody erased it': { damage: on('tree', EMPTY), breaks: ['acme run/43 2 object_missing *tree'] },
    'in pieces has lost one': {
      damage: on('list', 'DELETE FROM chunks WHERE n = 0 AND object_id'),
      breaks: ['acme run/43 2 object_corrupt *list'],
    },
    'is gone, with what is noted of it': {
      damage: allOf(on('tree', UNLINK_ALL), on('tree', DROP)),
      breaks: ['acme run/43 2 object_missing *tree'],
    },
    'is gone, and what is noted of it is not': {
      damage: on('tree', DROP),
      breaks: ['acme run/43 2 object_missing *tree', 'stream_missing'],
    },
  })
})
