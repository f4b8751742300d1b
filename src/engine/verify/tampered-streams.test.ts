// Every way to tamper with whole streams and with checkpoints, and exactly what a verification says about it.
import { describe, expect, it } from 'vitest'
import type { Database } from '../../adapters/sqlite-store/database.ts'
import { CHECKPOINTS } from '../../core/record/checkpoint.ts'
import { type EventDraft, type RecordedEvent, writeEvent } from '../../core/record/event.ts'
import { tamperCases, theRecord } from '../../testing/mutations/tamper-cases.ts'
import {
  ACME,
  copyOf,
  describeBreaks,
  eventAt,
  happened,
  headOf,
  LATE,
  moveHead,
  ODD,
  putBytes,
  putEvent,
  RUN,
  resign,
  rewrite,
  STRANGE,
  streamId,
  truncate,
  verifyCopy,
} from '../../testing/mutations/tamper-record.ts'

const same = ({ type, actor, cause, payload }: RecordedEvent): EventDraft => ({ type, actor, cause, payload })
/** Another actor from event `from` on. */
const blame = (event: RecordedEvent): EventDraft => ({ ...same(event), actor: 'mallory' })
const drop =
  (stream: string, seq: number, tenant = ACME) =>
  (database: Database) =>
    database.prepare('DELETE FROM events WHERE stream_id = ? AND seq = ?').run(streamId(database, stream, tenant), seq)

describe('a stream written again from the middle by somebody careful', () => {
  tamperCases({
    'where it was signed': {
      damage: database => rewrite(database, RUN, 3, blame),
      careful: true,
      breaks: ['acme run/42 4 checkpoint_differs =run/42@4'],
    },
    'after the last checkpoint: nothing is known about that': {
      damage: database => rewrite(database, RUN, 7, blame),
      careful: true,
      breaks: [],
    },
    'with the record of what was signed changed too': {
      damage(database) {
        rewrite(database, RUN, 3, blame)
        database
          .prepare("UPDATE p_seals SET c_headHash = ? WHERE c_sealed = 'run/42' AND tenant = 'acme'")
          .run(headOf(database, RUN, 6).digest)
      },
      breaks: [
        'acme run/42 4 checkpoint_differs =run/42@4',
        'acme checkpoints 3 seals row_differs run/42',
        'acme run/42 8 latest row_differs ada',
        'acme run/42 4 latest row_unknown bob',
        'acme run/42 8 latest row_missing mallory',
      ],
    },
    'with the true key, and no anchor': {
      async damage(database) {
        rewrite(database, RUN, 3, blame)
        await resign(database, (await theRecord()).keyring, 1)
      },
      careful: true,
      breaks: [],
    },
    'with the true key, and an anchor': {
      async damage(database) {
        rewrite(database, RUN, 3, blame)
        await resign(database, (await theRecord()).keyring, 1)
      },
      careful: true,
      anchored: true,
      breaks: ['acme checkpoints 2 anchor_differs =checkpoints@2', 'acme run/42 5 anchor_differs =run/42@5'],
    },
    'with the true key, after the anchor': {
      async damage(database) {
        rewrite(database, RUN, 6, blame)
        await resign(database, (await theRecord()).keyring, 3)
      },
      careful: true,
      anchored: true,
      breaks: [],
    },
  })
})

describe('the end of a stream cut off, with the head moved back', () => {
  tamperCases({
    'where nothing was signed: what is left is what was written': {
      damage: database => truncate(database, RUN, 6),
      careful: true,
      breaks: [],
      unsealed: 3,
    },
    'where it was signed': {
      damage: database => truncate(database, RUN, 5),
      careful: true,
      breaks: ['acme run/42 6 checkpoint_ahead =run/42@6'],
      unsealed: 3,
    },
    'the checkpoints: what they covered is unsealed': {
      damage: database => truncate(database, CHECKPOINTS, 2),
      careful: true,
      breaks: [],
      unsealed: 6,
    },
    'the checkpoints, behind an anchor': {
      damage: database => truncate(database, CHECKPOINTS, 1),
      careful: true,
      anchored: true,
      breaks: ['acme checkpoints 2 anchor_ahead =checkpoints@2'],
      unsealed: 7,
    },
    'all checkpoints': { damage: database => truncate(database, CHECKPOINTS, -1), careful: true, breaks: [], unsealed: 18 },
    'all checkpoints, and an anchor': {
      damage: database => truncate(database, CHECKPOINTS, -1),
      careful: true,
      anchored: true,
      breaks: ['acme checkpoints 0 anchor_ahead =checkpoints@2'],
      unsealed: 18,
    },
  })

  it('is not noticed when the whole file is one that was kept from earlier, but for an anchor', async () => {
    const record = await theRecord()
    const without = await verifyCopy(record, copyOf(record.earlier))
    expect([without.intact, without.unsealed, without.erased]).toEqual([true, 0, 1])
    const { breaks } = await verifyCopy(record, copyOf(record.earlier), { anchored: true })
    expect(describeBreaks(record, breaks)).toEqual([
      'acme checkpoints 2 anchor_ahead =checkpoints@2',
      'acme run/42 5 anchor_ahead =run/42@5',
    ])
  })
})

describe('whole streams', () => {
  const sweep = (database: Database, id: number, ...tables: string[]) => {
    for (const table of tables) database.prepare(`DELETE FROM ${table} WHERE ${table === 'streams' ? 'id' : 'stream_id'} = ?`).run(id)
  }
  const TABLES = ['events', 'refs', 'p_things', 'p_latest', 'p_seals', 'p_erased', 'streams']
  tamperCases({
    'is deleted with everything of its own': {
      damage: database => sweep(database, streamId(database, STRANGE), ...TABLES),
      breaks: [`acme ström '";-- %_ 日本/😀 0 checkpoint_ahead =ström '";-- %_ 日本/😀@1`],
    },
    'is deleted by somebody careful': {
      damage: database => truncate(database, STRANGE, -1),
      careful: true,
      breaks: [`acme ström '";-- %_ 日本/😀 0 checkpoint_ahead =ström '";-- %_ 日本/😀@1`],
    },
    'that nothing has signed is deleted': { damage: database => truncate(database, LATE, -1), careful: true, breaks: [], unsealed: 2 },
    'has lost only its row': {
      damage: database => sweep(database, streamId(database, 'run/43'), 'streams'),
      breaks: ['acme run/43 0 checkpoint_ahead =run/43@2', 'stream_missing'],
    },
    'is said to end elsewhere': {
      damage: database => database.prepare('UPDATE streams SET seq = 9 WHERE id = ?').run(streamId(database, RUN)),
      breaks: ['acme run/42 9 sequence_broken'],
    },
    'is said to end earlier': {
      damage: database => database.prepare('UPDATE streams SET seq = 6 WHERE id = ?').run(streamId(database, RUN)),
      breaks: ['acme run/42 7 sequence_broken'],
    },
    'is said to end differently': {
      damage: database => database.prepare("UPDATE streams SET digest = 'sha256:0' WHERE id = ?").run(streamId(database, LATE)),
      breaks: ['acme zz/late 2 chain_broken'],
    },
    'is said to end beyond all numbers': {
      damage: database => database.prepare('UPDATE streams SET seq = 9223372036854775807 WHERE id = ?').run(streamId(database, LATE)),
      breaks: ['acme zz/late 3 sequence_broken'],
    },
    'has another name': {
      damage: database => database.prepare("UPDATE streams SET stream = 'zz/later' WHERE id = ?").run(streamId(database, LATE)),
      breaks: [
        'acme zz/later 0 event_misplaced',
        'acme zz/later 1 event_misplaced',
        'acme zz/later 2 event_misplaced',
        'acme zz/later 0 things row_unknown 0',
        'acme zz/later 1 things row_unknown 1',
        'acme zz/later 2 things row_unknown 2',
        'acme zz/later 2 latest row_unknown ada',
      ],
    },
    'is planted without events': {
      damage: database => database.exec("INSERT INTO streams (tenant, stream, seq, digest) VALUES ('acme', 'ghost', -1, '')"),
      breaks: ['acme ghost 0 sequence_broken'],
    },
    'is planted under no name': {
      damage(database) {
        database.exec("INSERT INTO streams (tenant, stream, seq, digest) VALUES ('acme', '', 0, '')")
        putBytes(database, '', 0, writeEvent(headOf(database, 'x', -1), happened(1), '2026-01-01T00:00:00.000Z').bytes)
      },
      breaks: ['acme 0 event_misplaced'],
      unsealed: 6,
    },
    'is planted with all that belongs to it: nothing is known about it': {
      damage(database) {
        database.exec("INSERT INTO streams (tenant, stream, seq, digest) VALUES ('acme', 'new', 0, '')")
        putBytes(database, 'new', 0, writeEvent(headOf(database, 'new', -1), happened(1), '2026-01-01T00:00:00.000Z').bytes)
        moveHead(database, 'new', 0)
      },
      careful: true,
      breaks: [],
      unsealed: 6,
    },
    'have what is sealed changed': {
      damage: database => database.exec('UPDATE streams SET sealed = 1000'),
      breaks: [
        'acme checkpoints streams row_differs sealed',
        'acme audit streams row_differs sealed',
        'acme run/42 streams row_differs sealed',
        'acme run/43 streams row_differs sealed',
        `acme ström '";-- %_ 日本/😀 streams row_differs sealed`,
        'acme zz/late streams row_differs sealed',
        `Ünï %_\\ '";-- 日本 😀 checkpoints streams row_differs sealed`,
        `Ünï %_\\ '";-- 日本 😀 run/42 streams row_differs sealed`,
      ],
    },
    'have what is sealed taken back': {
      damage: database => database.exec('UPDATE streams SET sealed = -1'),
      breaks: [
        'acme audit streams row_differs sealed',
        'acme run/42 streams row_differs sealed',
        'acme run/43 streams row_differs sealed',
        `acme ström '";-- %_ 日本/😀 streams row_differs sealed`,
        `Ünï %_\\ '";-- 日本 😀 run/42 streams row_differs sealed`,
      ],
    },
  })

  const deleteTenant = (database: Database) => {
    for (const { id } of database.prepare('SELECT id FROM streams WHERE tenant = ?').all(ODD) as { id: number }[])
      sweep(database, id, ...TABLES)
    database.prepare('DELETE FROM objects WHERE tenant = ?').run(ODD)
  }
  tamperCases({
    'of a whole tenant are deleted, and nothing is left that could tell': { damage: deleteTenant, breaks: [] },
    'of a whole tenant are deleted, and there is an anchor': {
      damage: deleteTenant,
      anchored: true,
      breaks: [
        `Ünï %_\\ '";-- 日本 😀 checkpoints 0 anchor_ahead =checkpoints@0`,
        `Ünï %_\\ '";-- 日本 😀 run/42 0 anchor_ahead =run/42@1`,
      ],
    },
  })
})

describe('a checkpoint', () => {
  type Signed = { heads: readonly object[]; key: string; signature: string }
  const forge = (seq: number, change: (payload: Signed, database: Database) => object) => (database: Database) => {
    const event = eventAt(database, CHECKPOINTS, seq)
    putEvent(database, CHECKPOINTS, seq, { ...event, payload: change(event.payload as unknown as Signed, database) })
    if (seq === 3) moveHead(database, CHECKPOINTS, 3)
  }
  const payloadAt = (database: Database, seq: number) => eventAt(database, CHECKPOINTS, seq).payload as unknown as Signed
  tamperCases({
    'with a wrong signature': {
      damage: forge(3, signed => ({ ...signed, signature: 'AAAA' })),
      careful: true,
      breaks: ['acme checkpoints 3 checkpoint_forged'],
      unsealed: 12,
    },
    'with a wrong signature in the middle': {
      damage: forge(1, signed => ({ ...signed, signature: 'AAAA' })),
      careful: true,
      breaks: ['acme checkpoints 1 checkpoint_forged', 'acme checkpoints 1 chain_broken'],
    },
    'of an unknown key': {
      damage: forge(3, signed => ({ ...signed, key: 'sign-0000000000000000' })),
      careful: true,
      breaks: ['acme checkpoints 3 checkpoint_key_unknown'],
      unsealed: 12,
    },
    'with the signature of another': {
      damage: forge(3, (signed, database) => ({ ...signed, signature: payloadAt(database, 2).signature })),
      careful: true,
      breaks: ['acme checkpoints 3 checkpoint_forged'],
      unsealed: 12,
    },
    'with one stream more': {
      damage: forge(3, (signed, database) => {
        const { seq, digest } = headOf(database, LATE, 2)
        return { ...signed, heads: [...signed.heads, { stream: LATE, seq, headHash: digest }] }
      }),
      careful: true,
      breaks: ['acme checkpoints 3 checkpoint_forged'],
      unsealed: 12,
    },
    'with one stream less': {
      damage: forge(3, signed => ({ ...signed, heads: [] })),
      careful: true,
      breaks: ['acme checkpoints 3 checkpoint_forged'],
      unsealed: 6,
    },
    'that is none': {
      damage: forge(3, () => ({ heads: 'none' })),
      careful: true,
      breaks: ['acme checkpoints 3 checkpoint_forged'],
      unsealed: 6,
    },
    'that says what nobody can sign': {
      damage: forge(3, signed => ({ ...signed, heads: [{ stream: '\ud800', seq: 0, headHash: '' }] })),
      careful: true,
      breaks: ['acme checkpoints 3 checkpoint_forged', 'acme � 0 checkpoint_ahead'],
      unsealed: 6,
    },
    'dropped in the middle': {
      damage: drop(CHECKPOINTS, 1),
      breaks: ['acme checkpoints 1 sequence_broken', 'acme audit streams row_differs sealed', 'acme checkpoints 1 seals row_unknown audit'],
      unsealed: 6,
    },
  })

  it('whose key the auditor does not have seals nothing', async () => {
    const record = await theRecord()
    const verified = await verifyCopy(record, copyOf(record.path), { check: record.checkFirst })
    expect(describeBreaks(record, verified.breaks)).toEqual([
      'acme checkpoints 1 checkpoint_key_unknown',
      'acme checkpoints 2 checkpoint_key_unknown',
      'acme checkpoints 3 checkpoint_key_unknown',
      `${ODD} checkpoints 0 checkpoint_key_unknown`,
    ])
    // 5 of 20 events are in streams whose head the one known checkpoint signs.
    expect(verified.unsealed).toBe(15)
  })

  it('seals nothing when there are no keys to check with, and that is all that is said', async () => {
    const record = await theRecord()
    const verified = await verifyCopy(record, copyOf(record.path), { check: null })
    expect([verified.intact, verified.unsealed, verified.breaks]).toEqual([true, 20, []])
  })
})
