// Every way to tamper with single events, and exactly what a verification says about it.
import { describe } from 'vitest'
import type { Database } from '../../adapters/sqlite-store/database.ts'
import { type EventDraft, type RecordedEvent, writeEvent } from '../../core/record/event.ts'
import { tamperCases } from '../../testing/mutations/tamper-cases.ts'
import {
  ACME,
  eventAt,
  eventBytes,
  flip,
  happened,
  headOf,
  LATE,
  moveHead,
  ODD,
  putBytes,
  putEvent,
  RUN,
  STRANGE,
  streamId,
} from '../../testing/mutations/tamper-record.ts'

const same = ({ type, actor, cause, payload }: RecordedEvent): EventDraft => ({ type, actor, cause, payload })
/** Another actor from event `from` on. */
const _blame = (event: RecordedEvent): EventDraft => ({ ...same(event), actor: 'mallory' })
const drop =
  (stream: string, seq: number, tenant = ACME) =>
  (database: Database) =>
    database.prepare('DELETE FROM events WHERE stream_id = ? AND seq = ?').run(streamId(database, stream, tenant), seq)

describe('one byte of an event', () => {
  const at = (seq: number, text: string, offset: number, to: string) => (database: Database) => flip(database, RUN, seq, text, offset, to)
  tamperCases({
    'the version': { damage: at(3, '"v":1', 4, '2'), breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'] },
    'the tenant': {
      damage: at(3, '"tenant":"acme"', 10, 'b'),
      breaks: ['acme run/42 3 event_misplaced', 'acme run/42 3 things row_unknown 3'],
    },
    'the stream': { damage: at(3, 'run/42', 5, '3'), breaks: ['acme run/42 3 event_misplaced', 'acme run/42 3 things row_unknown 3'] },
    'the sequence': { damage: at(3, '"seq":3', 6, '4'), breaks: ['acme run/42 3 sequence_broken', 'acme run/42 3 things row_differs 3'] },
    'the type': { damage: at(3, 'thing.happened', 0, 'T'), breaks: ['acme run/42 3 chain_broken', 'acme run/42 3 things row_unknown 3'] },
    'the time': { damage: at(3, '2026-', 3, '7'), breaks: ['acme run/42 3 chain_broken', 'acme run/42 3 things row_differs 3'] },
    'the actor': { damage: at(3, '"ada"', 1, 'A'), breaks: ['acme run/42 3 chain_broken', 'acme run/42 3 latest row_missing Ada'] },
    'the cause': { damage: at(2, 'req-1', 4, '2'), breaks: ['acme run/42 2 checkpoint_differs =run/42@2', 'acme run/42 2 chain_broken'] },
    'the link to the event before': {
      damage: at(3, '"prev":"sha256:', 20, '_'),
      breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'],
    },
    'a digit of that link': { damage: database => flipDigit(database, RUN, 3, '"prev":"sha256:'), breaks: ['acme run/42 3 chain_broken'] },
    'the text of the payload': { damage: at(1, 'text 1', 0, 'T'), breaks: ['acme run/42 1 chain_broken'] },
    'a number in the payload': {
      damage: at(3, '"n":3', 4, '9'),
      breaks: ['acme run/42 3 chain_broken', 'acme run/42 3 things row_unknown 3', 'acme run/42 3 things row_missing 9'],
    },
    'a digit of a digest in the payload': {
      damage: database => flipDigit(database, RUN, 3, '"body":["sha256:'),
      breaks: [
        'acme run/42 3 reference_missing ?',
        'acme run/42 3 reference_unknown *big',
        'acme run/42 3 chain_broken',
        'acme run/42 3 things row_differs 3',
      ],
    },
    'the first byte': { damage: at(3, '{"v"', 0, '['), breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'] },
    'the last byte': { damage: at(3, '}}', 1, ']'), breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'] },
    'a blank for a blank': { damage: at(1, 'text 1', 4, '\t'), breaks: ['acme run/42 1 event_unreadable'] },
    'of the first event': {
      damage: at(0, '"n":0', 4, '9'),
      breaks: ['acme run/42 0 chain_broken', 'acme run/42 0 things row_unknown 0', 'acme run/42 0 things row_missing 9'],
    },
    'the link of the first event, which has none': {
      damage: database => putEvent(database, RUN, 0, { ...eventAt(database, RUN, 0), prev: headOf(database, RUN, 1).digest }),
      breaks: ['acme run/42 0 chain_broken'],
    },
    'of the last event': {
      damage: at(8, '"n":8', 4, '9'),
      breaks: [
        'acme run/42 8 chain_broken',
        'acme run/42 8 things row_unknown 8',
        'acme run/42 8 things row_missing 9',
        'acme run/42 8 latest row_differs ada',
      ],
    },
    'the link of the last event': {
      damage: database => flipDigit(database, RUN, 8, '"prev":"sha256:'),
      breaks: ['acme run/42 8 chain_broken'],
    },
    'of an event that was signed': {
      damage: at(6, 'text 6', 0, 'T'),
      breaks: ['acme run/42 6 checkpoint_differs =run/42@6', 'acme run/42 6 chain_broken', 'acme run/42 6 things row_differs 6'],
    },
    'of a stream with a strange name': {
      damage: database => flip(database, STRANGE, 1, '"ada"', 1, 'A'),
      breaks: [
        `acme ström '";-- %_ 日本/😀 1 checkpoint_differs =ström '";-- %_ 日本/😀@1`,
        `acme ström '";-- %_ 日本/😀 1 chain_broken`,
        `acme ström '";-- %_ 日本/😀 1 latest row_missing Ada`,
        `acme ström '";-- %_ 日本/😀 1 latest row_differs ada`,
      ],
    },
    'of another tenant': {
      damage: database => flip(database, RUN, 1, 'text 1', 0, 'T', ODD),
      breaks: [
        `Ünï %_\\ '";-- 日本 😀 run/42 1 checkpoint_differs =run/42@1`,
        `Ünï %_\\ '";-- 日本 😀 run/42 1 chain_broken`,
        `Ünï %_\\ '";-- 日本 😀 run/42 1 things row_differs 1`,
      ],
    },
    'a blank more': {
      damage: database => respell(database, text => text.replace('"seq":3', '"seq": 3')),
      breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'],
    },
    'another order of keys': {
      damage: database => respell(database, text => text.replace(/("type":"[^"]+"),("at":"[^"]+")/, '$2,$1')),
      breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'],
    },
    'a key more': {
      damage: database => respell(database, text => text.replace(/}$/, ',"more":1}')),
      breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'],
    },
    'text instead of bytes': {
      damage: database =>
        database.prepare('UPDATE events SET bytes = CAST(bytes AS TEXT) WHERE stream_id = ? AND seq = 3').run(streamId(database, RUN)),
      breaks: ['acme run/42 3 event_unreadable', 'acme run/42 3 things row_unknown 3'],
    },
  })

  function flipDigit(database: Database, stream: string, seq: number, before: string): void {
    const text = new TextDecoder().decode(eventBytes(database, stream, seq))
    const offset = before.length + 5
    flip(database, stream, seq, before, offset, text[text.indexOf(before) + offset] === '0' ? '1' : '0')
  }
  function respell(database: Database, change: (text: string) => string): void {
    putBytes(database, RUN, 3, new TextEncoder().encode(change(new TextDecoder().decode(eventBytes(database, RUN, 3)))))
  }
})

describe('several changes', () => {
  const flipN =
    (...numbers: number[]) =>
    (database: Database) => {
      for (const n of numbers) flip(database, RUN, n, `"actor":"`, 9, 'z')
    }
  tamperCases({
    'two events apart': {
      damage: flipN(1, 6),
      breaks: [
        'acme run/42 1 chain_broken',
        'acme run/42 6 checkpoint_differs =run/42@6',
        'acme run/42 6 chain_broken',
        'acme run/42 6 latest row_missing zda',
      ],
    },
    'two events side by side: the links tell of one at least': {
      damage: flipN(3, 4),
      breaks: [
        'acme run/42 4 checkpoint_differs =run/42@4',
        'acme run/42 4 chain_broken',
        'acme run/42 4 latest row_unknown bob',
        'acme run/42 3 latest row_missing zda',
        'acme run/42 4 latest row_missing zob',
      ],
    },
    'three events side by side': {
      damage: flipN(3, 4, 5),
      breaks: [
        'acme run/42 4 checkpoint_differs =run/42@4',
        'acme run/42 3 chain_broken',
        'acme run/42 4 chain_broken',
        'acme run/42 5 chain_broken',
        'acme run/42 4 latest row_unknown bob',
        'acme run/42 5 latest row_missing zda',
        'acme run/42 4 latest row_missing zob',
      ],
    },
    'all to the end': {
      damage: flipN(4, 5, 6, 7, 8),
      breaks: [
        'acme run/42 4 checkpoint_differs =run/42@4',
        'acme run/42 4 chain_broken',
        'acme run/42 5 chain_broken',
        'acme run/42 6 chain_broken',
        'acme run/42 7 chain_broken',
        'acme run/42 8 chain_broken',
        'acme run/42 8 latest row_differs ada',
        'acme run/42 4 latest row_unknown bob',
        'acme run/42 8 latest row_missing zda',
        'acme run/42 4 latest row_missing zob',
      ],
    },
    'every one': {
      damage: flipN(0, 1, 2, 3, 4, 5, 6, 7, 8),
      breaks: [
        'acme run/42 2 checkpoint_differs =run/42@2',
        'acme run/42 0 chain_broken',
        'acme run/42 1 chain_broken',
        'acme run/42 2 chain_broken',
        'acme run/42 3 chain_broken',
        'acme run/42 4 chain_broken',
        'acme run/42 5 chain_broken',
        'acme run/42 6 chain_broken',
        'acme run/42 7 chain_broken',
        'acme run/42 8 chain_broken',
        'acme run/42 8 latest row_unknown ada',
        'acme run/42 4 latest row_unknown bob',
        'acme run/42 8 latest row_missing zda',
        'acme run/42 4 latest row_missing zob',
      ],
    },
  })
})

describe('events taken away, added and moved', () => {
  const following = (database: Database, stream: string, seq: number, tenant = ACME) =>
    writeEvent(headOf(database, stream, seq, tenant), happened(99), '2026-01-02T00:00:00.000Z').bytes
  const plant = (database: Database, seq: string) =>
    database
      .prepare(`INSERT INTO events SELECT stream_id, ${seq}, bytes FROM events WHERE stream_id = ? AND seq = 8`)
      .run(streamId(database, RUN))
  const bytesAt = (database: Database, ...seqs: number[]) => seqs.map(seq => eventBytes(database, RUN, seq))
  tamperCases({
    'the first is dropped': {
      damage: drop(RUN, 0),
      breaks: ['acme run/42 0 sequence_broken', 'acme run/42 0 things row_unknown 0', 'stream_missing'],
    },
    'one in the middle is dropped': { damage: drop(RUN, 1), breaks: ['acme run/42 1 sequence_broken'] },
    'one that was signed is dropped': {
      damage: drop(RUN, 6),
      breaks: ['acme run/42 6 sequence_broken', 'acme run/42 6 things row_unknown 6'],
    },
    'the last is dropped': {
      damage: drop(RUN, 8),
      breaks: [
        'acme run/42 8 sequence_broken',
        'acme run/42 8 things row_unknown 8',
        'acme run/42 8 latest row_differs ada',
        'stream_missing',
      ],
      unsealed: 4,
    },
    'all are dropped': {
      damage: database => database.prepare('DELETE FROM events WHERE stream_id = ?').run(streamId(database, RUN)),
      breaks: [
        'acme run/42 0 sequence_broken',
        'acme run/42 0 checkpoint_ahead =run/42@6',
        'acme run/42 0 things row_unknown 0',
        'acme run/42 3 things row_unknown 3',
        'acme run/42 5 things row_unknown 5',
        'acme run/42 6 things row_unknown 6',
        'acme run/42 7 things row_unknown 7',
        'acme run/42 8 things row_unknown 8',
        'acme run/42 8 latest row_unknown ada',
        'acme run/42 4 latest row_unknown bob',
        'acme run/42 2 latest row_unknown eve',
        'acme run/42 2 latest row_unknown é😀',
        'stream_missing',
      ],
      unsealed: 3,
    },
    'two neighbours are swapped': {
      damage(database) {
        const [a, b] = bytesAt(database, 0, 1)
        putBytes(database, RUN, 0, b!)
        putBytes(database, RUN, 1, a!)
      },
      breaks: ['acme run/42 0 sequence_broken', 'acme run/42 1 sequence_broken'],
    },
    'two apart are swapped': {
      damage(database) {
        const [a, b] = bytesAt(database, 3, 7)
        putBytes(database, RUN, 3, b!)
        putBytes(database, RUN, 7, a!)
      },
      breaks: ['acme run/42 3 sequence_broken', 'acme run/42 7 sequence_broken'],
    },
    'one is written over another': {
      damage: database => putBytes(database, RUN, 5, eventBytes(database, RUN, 1)),
      breaks: [
        'acme run/42 5 sequence_broken',
        'acme run/42 5 checkpoint_differs =run/42@5',
        'acme run/42 1 things row_missing 1',
        'acme run/42 5 things row_unknown 5',
      ],
    },
    'one is added at the end, and the head not moved': {
      damage: database => putBytes(database, RUN, 9, following(database, RUN, 8)),
      breaks: ['acme run/42 9 sequence_broken', 'acme run/42 9 things row_missing 99', 'acme run/42 8 latest row_differs ada'],
      unsealed: 6,
    },
    'one is added far behind the end': {
      damage: database => putBytes(database, RUN, 12, following(database, RUN, 8)),
      breaks: [
        'acme run/42 9 sequence_broken',
        'acme run/42 12 sequence_broken',
        'acme run/42 9 things row_missing 99',
        'acme run/42 8 latest row_differs ada',
      ],
      unsealed: 9,
    },
    'one is added before the beginning': {
      damage: database => putBytes(database, RUN, -3, following(database, RUN, 8)),
      breaks: ['acme run/42 0 sequence_broken'],
    },
    'one is added between two numbers': {
      damage: database => plant(database, '2.5'),
      breaks: ['acme run/42 3 sequence_broken'],
    },
    'one is added under a word for a number': {
      damage: database => plant(database, "'two'"),
      breaks: ['acme run/42 9 sequence_broken'],
    },
    'one is added under a number that is too big': {
      damage: database => plant(database, '9223372036854775807'),
      breaks: ['acme run/42 9 sequence_broken'],
    },
    'one is added under a number that is too small': {
      damage: database => plant(database, '-9223372036854775808'),
      breaks: ['acme run/42 0 sequence_broken'],
    },
    'one is added in the middle, and the later ones moved up': {
      damage(database) {
        const id = streamId(database, RUN)
        for (let seq = 8; seq >= 7; seq--)
          database.prepare('UPDATE events SET seq = ? WHERE stream_id = ? AND seq = ?').run(seq + 1, id, seq)
        putBytes(database, RUN, 7, following(database, RUN, 6))
        moveHead(database, RUN, 9)
      },
      breaks: ['acme run/42 8 sequence_broken', 'acme run/42 9 sequence_broken', 'acme run/42 7 things row_missing 99'],
      unsealed: 6,
    },
    'one is moved to another stream': {
      damage(database) {
        putBytes(database, LATE, 3, eventBytes(database, RUN, 7))
        drop(RUN, 7)(database)
      },
      breaks: ['acme run/42 7 sequence_broken', 'acme zz/late 3 event_misplaced', 'acme run/42 7 things row_unknown 7'],
      unsealed: 6,
    },
    'one is copied to another stream': {
      damage: database => putBytes(database, LATE, 1, eventBytes(database, RUN, 4)),
      breaks: ['acme zz/late 1 event_misplaced', 'acme zz/late 1 things row_unknown 1'],
    },
    'one is moved to another tenant': {
      damage(database) {
        putBytes(database, RUN, 1, eventBytes(database, RUN, 1), ODD)
      },
      breaks: [
        `Ünï %_\\ '";-- 日本 😀 run/42 1 event_misplaced`,
        `Ünï %_\\ '";-- 日本 😀 run/42 1 checkpoint_differs =run/42@1`,
        `Ünï %_\\ '";-- 日本 😀 run/42 1 things row_unknown 1`,
        `Ünï %_\\ '";-- 日本 😀 run/42 1 latest row_differs ada`,
      ],
    },
  })
})
