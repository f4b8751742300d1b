// Every way to tamper with objects, references and projections, and exactly what a verification says about it.
import { describe, expect, it } from 'vitest'
import type { Database } from '../../adapters/sqlite-store/database.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { AUDIT } from '../../core/record/erasure.ts'
import { RECORD_PROJECTIONS } from '../../core/record/projections.ts'
import { CONTRACT_PROJECTIONS } from '../../testing/contract/place.ts'
import { tamperCases, theRecord } from '../../testing/mutations/tamper-cases.ts'
import {
  ACME,
  copyOf,
  damagedCopy,
  dump,
  eventAt,
  OBJECTS,
  type ObjectName,
  ODD,
  objectId,
  putBytes,
  RUN,
  rewrite,
  STRANGE,
  streamId,
  verifyCopy,
} from '../../testing/mutations/tamper-record.ts'

const set =
  (name: ObjectName, change: string, tenant = ACME) =>
  (database: Database) =>
    database.prepare(`UPDATE objects SET ${change} WHERE id = ?`).run(objectId(database, name, tenant))
const setBytes = (name: ObjectName, bytes: Uint8Array) => (database: Database) =>
  database.prepare('UPDATE objects SET size = ?, bytes = ? WHERE id = ?').run(bytes.length, bytes, objectId(database, name))
const dropObject =
  (name: ObjectName, ...tables: string[]) =>
  (database: Database) => {
    const id = objectId(database, name)
    for (const table of tables) database.prepare(`DELETE FROM ${table} WHERE ${table === 'objects' ? 'id' : 'object_id'} = ?`).run(id)
  }

describe('an object', () => {
  const FLIPPED = "UPDATE chunks SET bytes = CAST(x'7f' || substr(bytes, 2) AS BLOB)"
  const onChunk = (n: number, sql: string) => (database: Database) =>
    database.prepare(`${sql} WHERE object_id = ? AND n = ?`).run(objectId(database, 'big'), n)
  tamperCases({
    'has one byte changed': {
      damage: setBytes('small', OBJECTS.small.with(3, 0)),
      breaks: ['acme run/42 0 object_corrupt *small'],
    },
    'that was empty has bytes': { damage: setBytes('empty', OBJECTS.other), breaks: ['acme run/43 1 object_corrupt *empty'] },
    'has lost its bytes, and is not empty by right': {
      damage: setBytes('small', OBJECTS.empty),
      breaks: ['acme run/42 0 object_corrupt *small'],
    },
    'has changed places with another': {
      damage(database) {
        setBytes('small', OBJECTS.other)(database)
        setBytes('other', OBJECTS.small)(database)
      },
      breaks: ['acme run/42 0 object_corrupt *small', 'acme run/42 8 object_corrupt *other'],
    },
    'has text instead of bytes, which spells the same': {
      damage: set('small', 'bytes = CAST(bytes AS TEXT)'),
      breaks: ['acme run/42 0 object_corrupt *small'],
    },
    'has a byte changed in its first chunk': { damage: onChunk(0, FLIPPED), breaks: ['acme run/42 3 object_corrupt *big'] },
    'has a byte changed in its last chunk': { damage: onChunk(2, FLIPPED), breaks: ['acme run/42 3 object_corrupt *big'] },
    'has lost its first chunk': { damage: onChunk(0, 'DELETE FROM chunks'), breaks: ['acme run/42 3 object_corrupt *big'] },
    'has lost its last chunk': { damage: onChunk(2, 'DELETE FROM chunks'), breaks: ['acme run/42 3 object_corrupt *big'] },
    'has lost all its chunks': { damage: dropObject('big', 'chunks'), breaks: ['acme run/42 3 object_corrupt *big'] },
    'has a chunk more': {
      damage: database => database.prepare("INSERT INTO chunks VALUES (?, 3, x'00')").run(objectId(database, 'big')),
      breaks: ['acme run/42 3 object_corrupt *big', 'stream_missing'],
    },
    'has two chunks in the other order': {
      damage(database) {
        for (const [from, to] of [
          [0, 9],
          [1, 0],
          [9, 1],
        ])
          onChunk(from!, `UPDATE chunks SET n = ${to}`)(database)
      },
      breaks: ['acme run/42 3 object_corrupt *big'],
    },
    'is gone': { damage: dropObject('big', 'objects', 'chunks'), breaks: ['acme run/42 3 object_missing *big'] },
    'is gone, with the references to it': {
      damage: dropObject('small', 'objects', 'refs'),
      breaks: [
        'acme run/42 0 reference_missing *small',
        'acme run/42 3 reference_missing *small',
        'acme run/42 5 reference_missing *small',
        'acme run/43 2 object_missing *small in *tree',
      ],
    },
    'has lost its bytes though nobody erased it': {
      damage: set('other', 'size = NULL, bytes = NULL'),
      breaks: ['acme run/42 8 object_missing *other'],
    },
    'is said to have lost its bytes': { damage: set('other', 'size = NULL'), breaks: ['acme run/42 8 object_missing *other'] },
    'has lost its bytes and nothing else': { damage: set('other', 'bytes = NULL'), breaks: ['acme run/42 8 object_corrupt *other'] },
    'has another name': {
      damage: set('other', `digest = x'${'07'.repeat(32)}'`),
      breaks: [
        'acme run/42 8 reference_missing *other',
        'acme run/42 8 reference_unknown ?',
        `acme ström '";-- %_ 日本/😀 0 reference_missing *other`,
        `acme ström '";-- %_ 日本/😀 0 reference_unknown ?`,
        'acme run/42 8 object_corrupt ?',
      ],
    },
    'has a name that is too short': {
      damage: set('other', 'digest = substr(digest, 2)'),
      breaks: [
        'acme run/42 8 reference_missing *other',
        'acme run/42 8 reference_unknown ?',
        `acme ström '";-- %_ 日本/😀 0 reference_missing *other`,
        `acme ström '";-- %_ 日本/😀 0 reference_unknown ?`,
        'acme run/42 8 object_corrupt ?',
      ],
    },
    'has a word for a name': { damage: set('loose', "digest = 'word'"), breaks: ['acme object_corrupt'] },
    'belongs to another tenant': {
      damage: set('small', "tenant = 'Ünï'"),
      breaks: [
        ...['acme run/42 0 object_missing *small', 'acme run/42 3 object_missing *small', 'acme run/42 5 object_missing *small'],
        'acme run/43 2 object_missing *small in *tree',
      ],
    },
    'that two tenants have is gone for one, who speaks of the other one’s': {
      damage(database) {
        const [ours, theirs] = [objectId(database, 'shared'), objectId(database, 'shared', ODD)]
        database.prepare('UPDATE refs SET object_id = ? WHERE object_id = ?').run(theirs, ours)
        database.prepare('DELETE FROM objects WHERE id = ?').run(ours)
      },
      breaks: ['acme run/43 0 object_missing *shared'],
    },
    'has another size noted': { damage: set('small', 'size = size + 1'), breaks: ['acme objects row_differs *small'] },
    'has another age, which only counts when nothing speaks of it': { damage: set('small', "written_at = '1999'"), breaks: [] },
    'that nothing speaks of is changed': { damage: setBytes('loose', OBJECTS.other), breaks: ['acme object_corrupt *loose'] },
    'that nothing speaks of is gone, as after any collection': { damage: dropObject('loose', 'objects'), breaks: [] },
  })
})

describe('an erased object', () => {
  const gone = (database: Database) => database.exec('DELETE FROM p_erased')
  tamperCases({
    'has its bytes again': { damage: setBytes('gone', OBJECTS.gone), breaks: [], erased: 0 },
    'has other bytes': { damage: setBytes('gone', OBJECTS.small), breaks: ['acme run/42 3 object_corrupt *gone'], erased: 0 },
    'is not noted as erased any more': {
      damage: gone,
      breaks: ['acme run/42 3 object_missing *gone', 'acme audit 0 erased row_missing *gone'],
      erased: 0,
    },
    'has its row taken away': {
      damage: dropObject('gone', 'objects'),
      breaks: ['acme run/42 3 object_missing *gone', 'acme run/43 2 object_missing *gone in *folder'],
      erased: 0,
    },
    'is another than the event says': {
      damage: database => rewrite(database, AUDIT, 0, event => ({ ...event, payload: { erasedHash: 'sha256:0', why: 'so' } })),
      breaks: ['acme audit 0 checkpoint_differs =audit@0', 'acme audit 0 erased row_missing ?', 'acme audit 0 erased row_unknown *gone'],
    },
    'was never erased: only noted so': {
      damage(database) {
        set('other', 'size = NULL, bytes = NULL')(database)
        database
          .prepare(
            "INSERT INTO p_erased (tenant, stream_id, seq, c_digest) SELECT tenant, ?, 0, 'sha256:' || lower(hex(digest)) FROM objects WHERE id = ?",
          )
          .run(streamId(database, AUDIT), objectId(database, 'other'))
      },
      breaks: ['acme audit 0 erased row_unknown *other'],
      erased: 2,
    },
    'was erased in a stream that is not the one for that': {
      damage(database) {
        set('other', 'size = NULL, bytes = NULL')(database)
        database
          .prepare(
            "INSERT INTO p_erased (tenant, stream_id, seq, c_digest) SELECT tenant, ?, 0, 'sha256:' || lower(hex(digest)) FROM objects WHERE id = ?",
          )
          .run(streamId(database, RUN), objectId(database, 'other'))
      },
      breaks: ['acme run/42 8 object_missing *other', 'acme run/42 0 erased row_unknown *other'],
    },
  })
})

describe('a reference', () => {
  const refer =
    (stream: string, seq: number, object: (database: Database) => number, tenant = ACME) =>
    (database: Database) =>
      database.prepare('INSERT INTO refs VALUES (?, ?, ?)').run(streamId(database, stream, tenant), seq, object(database))
  tamperCases({
    'is taken away': {
      damage: database => database.prepare('DELETE FROM refs WHERE stream_id = ? AND seq = 0').run(streamId(database, RUN)),
      breaks: ['acme run/42 0 reference_missing *small'],
    },
    'of three is taken away': {
      damage: database => database.prepare('DELETE FROM refs WHERE seq = 3 AND object_id = ?').run(objectId(database, 'big')),
      breaks: ['acme run/42 3 reference_missing *big'],
    },
    'is added': { damage: refer(RUN, 1, database => objectId(database, 'loose')), breaks: ['acme run/42 1 reference_unknown *loose'] },
    'to nothing is added': { damage: refer(RUN, 1, () => 4711), breaks: ['acme run/42 1 reference_unknown'] },
    'to another tenant’s object is added': {
      damage: refer(RUN, 1, database => objectId(database, 'shared', ODD)),
      breaks: ['acme run/42 1 reference_unknown'],
    },
    'is added to an event that is not there': {
      damage: refer(RUN, 77, database => objectId(database, 'small')),
      breaks: ['stream_missing'],
    },
    'is added to a stream that is not there': {
      damage: database => database.exec('INSERT INTO refs VALUES (4711, 0, 1)'),
      breaks: ['stream_missing'],
    },
    'speaks of another object than the event': {
      damage: database =>
        database
          .prepare('UPDATE refs SET object_id = ? WHERE stream_id = ? AND seq = 0')
          .run(objectId(database, 'other'), streamId(database, RUN)),
      breaks: ['acme run/42 0 reference_missing *small', 'acme run/42 0 reference_unknown *other'],
    },
  })
})

describe('a row of a projection', () => {
  const where = "WHERE tenant = 'acme' AND stream_id = (SELECT id FROM streams WHERE tenant = 'acme' AND stream = 'run/42')"
  const sql = (text: string) => (database: Database) => database.exec(text)
  tamperCases({
    'things: a cell is changed': {
      damage: sql(`UPDATE p_things SET c_body = 'x' ${where} AND c_n = 5`),
      breaks: ['acme run/42 5 things row_differs 5'],
    },
    'things: a cell is emptied': {
      damage: sql(`UPDATE p_things SET c_body = NULL ${where} AND c_n = 5`),
      breaks: ['acme run/42 5 things row_differs 5'],
    },
    'things: a cell is of another kind': {
      damage: sql(`UPDATE p_things SET c_body = CAST(c_body AS BLOB) ${where} AND c_n = 5`),
      breaks: ['acme run/42 5 things row_differs 5'],
    },
    'things: its key is changed': {
      damage: sql(`UPDATE p_things SET c_n = 50 ${where} AND c_n = 5`),
      breaks: ['acme run/42 5 things row_missing 5', 'acme run/42 5 things row_unknown 50'],
    },
    'things: its key is beyond all numbers': {
      damage: sql(`UPDATE p_things SET c_n = 9223372036854775807 ${where} AND c_n = 5`),
      breaks: ['acme run/42 5 things row_missing 5', 'things store_corrupt'],
    },
    'things: its sequence is changed': {
      damage: sql(`UPDATE p_things SET seq = 4 ${where} AND c_n = 5`),
      breaks: ['acme run/42 4 things row_differs 5'],
    },
    'things: its sequence is of another kind': {
      damage: sql(`UPDATE p_things SET seq = x'05' ${where} AND c_n = 5`),
      breaks: ['stream_missing'],
    },
    'things: its tenant is changed': {
      damage: database => database.prepare("UPDATE p_things SET tenant = '😀' WHERE tenant = ? AND c_n = 1").run(ODD),
      breaks: [`Ünï %_\\ '";-- 日本 😀 run/42 1 things row_missing 1`, '😀 run/42 1 things row_unknown 1'],
    },
    'things: it goes to another stream': {
      damage: database => database.prepare(`UPDATE p_things SET stream_id = ? ${where} AND c_n = 5`).run(streamId(database, STRANGE)),
      breaks: ['acme run/42 5 things row_missing 5', `acme ström '";-- %_ 日本/😀 5 things row_unknown 5`],
    },
    'things: it goes to a stream that is not there': {
      damage: sql(`UPDATE p_things SET stream_id = 4711 ${where} AND c_n = 5`),
      breaks: ['acme run/42 5 things row_missing 5', 'stream_missing'],
    },
    'things: it is taken away': {
      damage: sql(`DELETE FROM p_things ${where} AND c_n = 0`),
      breaks: ['acme run/42 0 things row_missing 0'],
    },
    'things: one is added': {
      damage: sql(
        "INSERT INTO p_things (tenant, stream_id, seq, c_n) SELECT tenant, id, 0, 77 FROM streams WHERE tenant = 'acme' AND stream = 'run/42'",
      ),
      breaks: ['acme run/42 0 things row_unknown 77'],
    },
    'things: one without a key is added': {
      damage: sql(
        "INSERT INTO p_things (tenant, stream_id, seq) SELECT tenant, id, 0 FROM streams WHERE tenant = 'acme' AND stream = 'run/42'",
      ),
      breaks: ['acme run/42 0 things row_unknown'],
    },
    'things: all are taken away': {
      damage: sql(`DELETE FROM p_things ${where}`),
      breaks: [
        'acme run/42 0 things row_missing 0',
        'acme run/42 3 things row_missing 3',
        'acme run/42 5 things row_missing 5',
        'acme run/42 6 things row_missing 6',
        'acme run/42 7 things row_missing 7',
        'acme run/42 8 things row_missing 8',
      ],
    },
    'things: the table is gone': {
      damage: sql('DROP TABLE p_things'),
      breaks: [
        'things store_corrupt',
        'index p_things_0 schema_missing',
        'index sqlite_autoindex_p_things_1 schema_missing',
        'table p_things schema_missing',
      ],
    },
    'latest: a cell is changed': {
      damage: sql(`UPDATE p_latest SET c_state = 'x' ${where} AND c_actor = 'bob'`),
      breaks: ['acme run/42 4 latest row_differs bob'],
    },
    'latest: its sequence is changed': {
      damage: sql(`UPDATE p_latest SET seq = 99 ${where} AND c_actor = 'bob'`),
      breaks: ['acme run/42 99 latest row_differs bob'],
    },
    'latest: it is taken away': {
      damage: sql(`DELETE FROM p_latest ${where} AND c_actor = 'é😀'`),
      breaks: ['acme run/42 2 latest row_missing é😀'],
    },
    'latest: one is added': {
      damage: sql(
        "INSERT INTO p_latest (tenant, stream_id, seq, c_actor) SELECT tenant, id, 0, 'zoë' FROM streams WHERE tenant = 'acme' AND stream = 'run/42'",
      ),
      breaks: ['acme run/42 0 latest row_unknown zoë'],
    },
    'erased: a cell is changed': {
      damage: sql("UPDATE p_erased SET c_why = 'no reason'"),
      breaks: ['acme audit 0 erased row_differs *gone'],
    },
    'erased: its sequence is changed': { damage: sql('UPDATE p_erased SET seq = 1'), breaks: ['acme audit 1 erased row_differs *gone'] },
    'seals: what was signed is changed': {
      damage: sql("UPDATE p_seals SET c_headHash = 'sha256:0' WHERE tenant = 'acme' AND c_sealed = 'run/43'"),
      breaks: ['acme checkpoints 0 seals row_differs run/43'],
    },
    'seals: how far is changed, forwards': {
      damage: sql("UPDATE p_seals SET c_last = 8 WHERE tenant = 'acme' AND c_sealed = 'run/42'"),
      breaks: ['acme checkpoints 3 seals row_differs run/42'],
    },
    'seals: how far is changed, backwards': {
      damage: sql("UPDATE p_seals SET c_last = 1 WHERE tenant = 'acme' AND c_sealed = 'run/42'"),
      breaks: ['acme checkpoints 3 seals row_differs run/42'],
    },
    'seals: by which checkpoint is changed': {
      damage: sql("UPDATE p_seals SET seq = 9 WHERE tenant = 'acme' AND c_sealed = 'run/43'"),
      breaks: ['acme checkpoints 9 seals row_differs run/43'],
    },
    'seals: one is taken away': {
      damage: sql("DELETE FROM p_seals WHERE tenant = 'acme' AND c_sealed = 'run/43'"),
      breaks: ['acme checkpoints 0 seals row_missing run/43'],
    },
    'seals: one is added for a stream that none has signed': {
      damage: sql(
        "INSERT INTO p_seals (tenant, stream_id, seq, c_sealed, c_last, c_headHash) SELECT tenant, id, 3, 'zz/late', 2, '' FROM streams WHERE tenant = 'acme' AND stream = 'checkpoints'",
      ),
      breaks: ['acme checkpoints 3 seals row_unknown zz/late'],
    },
    'seals: one is added for a stream that is not there': {
      damage: sql(
        "INSERT INTO p_seals (tenant, stream_id, seq, c_sealed, c_last, c_headHash) SELECT tenant, id, 3, 'none', 2, '' FROM streams WHERE tenant = 'acme' AND stream = 'checkpoints'",
      ),
      breaks: ['acme checkpoints 3 seals row_unknown none'],
    },
    'seals: all are taken away': {
      damage: sql('DELETE FROM p_seals'),
      breaks: [
        'acme checkpoints 1 seals row_missing audit',
        'acme checkpoints 3 seals row_missing run/42',
        'acme checkpoints 0 seals row_missing run/43',
        `acme checkpoints 0 seals row_missing ström '";-- %_ 日本/😀`,
        `Ünï %_\\ '";-- 日本 😀 checkpoints 0 seals row_missing run/42`,
      ],
    },
  })
})

describe('an event that no store can have written', () => {
  const nested = (depth: number): Json => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  const plant = (payload: Json) => (database: Database) => {
    rewrite(database, RUN, 8, event => ({ ...event, payload }))
    database.prepare('DELETE FROM refs WHERE stream_id = ? AND seq = 8').run(streamId(database, RUN))
  }
  tamperCases({
    'half a character': {
      damage: plant({ n: 8, body: { half: '\ud800' } }),
      breaks: ['acme run/42 8 event_unreadable', 'acme run/42 8 things row_unknown 8', 'acme run/42 8 latest row_differs ada'],
    },
    'a nest too deep for a table': {
      damage: plant({ n: 8, body: nested(3000) }),
      breaks: ['acme run/42 8 event_unreadable', 'acme run/42 8 things row_unknown 8', 'acme run/42 8 latest row_differs ada'],
    },
    'a nest too deep for anybody': {
      damage: database => putBytes(database, RUN, 8, new TextEncoder().encode(deep(JSON.stringify(eventAt(database, RUN, 8))))),
      breaks: ['acme run/42 8 event_unreadable', 'acme run/42 8 things row_unknown 8', 'acme run/42 8 latest row_differs ada'],
    },
  })
  const deep = (text: string) => text.replace(/"payload":.*/, `"payload":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
})

describe('declared projections', () => {
  const declare = (value: string) => (database: Database) =>
    database.prepare("UPDATE settings SET value = ? WHERE name = 'projections'").run(value)
  const declarationOf = (projections: unknown) => canonicalJson(projections as Json)

  it.each([
    ['are none', declarationOf(RECORD_PROJECTIONS)],
    ['are others', declarationOf([...RECORD_PROJECTIONS, ...CONTRACT_PROJECTIONS.slice(1)])],
    ['are not JSON', 'x'],
  ])('that %s in the file: whoever brings their own gets the right rows', async (_, value) => {
    const record = await theRecord()
    const path = await damagedCopy(record.path, declare(value))
    const store = sqliteStore(path, () => '', CONTRACT_PROJECTIONS)
    await store.close()
    expect((await verifyCopy(record, path)).breaks).toEqual([])
    expect(dump(path)).toBe(dump(copyOf(record.path)))
  })
})
