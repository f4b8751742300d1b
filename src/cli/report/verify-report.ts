// Formats the result of a verification for a person.
import pc from 'picocolors'
import type { BreakCode } from '../../core/record/walk.ts'
import type { Break, Verified } from '../../engine/verify/verify.ts'
import { useColor } from '../terminal.ts'
import { columns } from './columns.ts'

const MEANING: Readonly<Record<BreakCode, string>> = {
  event_unreadable: 'its bytes are not an event',
  event_misplaced: 'it belongs to another stream or tenant',
  sequence_broken: 'an event is missing, doubled or out of order here',
  chain_broken: 'its bytes have changed since they were written',
  stream_missing: 'there are events or references that belong to no stream or node',
  object_missing: 'a referenced object is missing, and no erasure is recorded',
  object_corrupt: 'the bytes of an object do not match its name',
  reference_missing: 'a reference to an object was removed',
  reference_unknown: 'a reference was added that the event or node does not contain',
  row_missing: 'a row of a projection was removed',
  row_unknown: 'a row of a projection was added that no event explains',
  row_differs: 'a row differs from what the events or objects give',
  checkpoint_forged: 'the signature of a checkpoint is wrong',
  checkpoint_key_unknown: 'a checkpoint is signed with a key that is not known here',
  checkpoint_differs: 'it is not the event that was signed: the stream was rewritten',
  checkpoint_ahead: 'signed events are missing',
  anchor_forged: 'the signature of the anchor is wrong',
  anchor_differs: 'it differs from the anchor: the record was rewritten',
  anchor_ahead: 'checkpoints or events of the anchor are missing: the record was truncated',
  schema_unknown: 'the file holds a table, index, trigger, view or setting that Onbook did not create',
  schema_missing: 'a table or index of the record is missing',
  schema_differs: 'a table or index is not declared as Onbook declares it',
  store_corrupt: 'the file is damaged here and cannot be read',
}

export interface Circumstances {
  readonly keys: boolean
  readonly anchors: number
  /** Default: a whole record. */
  readonly of?: 'record' | 'run' | 'run file'
}

export function verifyReport(path: string, verified: Verified, { keys, anchors, of = 'record' }: Circumstances): string {
  const { intact, streams, events, objects, erased, unsealed, breaks, moreBreaks } = verified
  const color = pc.createColors(useColor(process.stdout))
  const isFile = of === 'run file'
  const signed = isFile
    ? 'no checkpoint in the file that these keys verify covers them'
    : of === 'run'
      ? 'no checkpoint ends inside this part of their streams; "onbook verify" checks the streams as a whole'
      : 'written after the last checkpoint; "onbook store checkpoint" signs them'
  const keyless = isFile ? 'name the keys of its author with --public-key FILE' : '"onbook store checkpoint" creates them and signs'
  const why = keys ? signed : `there are no keys to check signatures with; ${keyless}`
  const lines = [
    `${path}: ${count(streams, 'stream')}, ${count(events, 'event')}, ${count(objects, 'object')}${erased > 0 ? ` (${erased} erased)` : ''}`,
    ...(anchors > 0 ? [`compared with ${count(anchors, 'anchor')}`] : []),
    ...notCovered(verified),
    ...(unsealed > 0 ? [`unsealed: ${count(unsealed, 'event')} (${why})`] : []),
    ...(breaks.length > 0 ? ['', columns(breaks.map(describe)).trimEnd(), ''] : []),
    ...(moreBreaks > 0 ? [`and ${moreBreaks} more`] : []),
    intact ? color.green('intact') : color.red(`BROKEN in ${count(breaks.length + moreBreaks, 'place')}`),
  ]
  return `${lines.join('\n')}\n`
}

/** Nothing in a record proves these rows: a change to them is not found. */
function notCovered({ unreferenced = 0, unproven = {} }: Verified): readonly string[] {
  const parts = [
    ...(unreferenced > 0 ? [`${count(unreferenced, 'object')} that no event names`] : []),
    ...Object.entries(unproven).flatMap(([table, n]) => (n > 0 ? [`${n} ${UNPROVEN[table] ?? table}`] : [])),
  ]
  return parts.length === 0 ? [] : [`not covered: ${parts.join(', ')}`]
}

const UNPROVEN: Readonly<Record<string, string>> = {
  answers: 'stored answers for idempotency keys',
  uploads: 'unfinished uploads',
  laterRows: 'rows of streams that were written to during the check',
  declarations: 'tables declared differently than by this release',
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

function describe({ tenant, stream, sequence, line, node, digest, table, code }: Break): readonly string[] {
  const where = [tenant, stream, sequence === undefined ? null : String(sequence), line === undefined ? null : `line ${line}`]
    .filter(part => part !== null && part !== '')
    .join(' ')
  const what = [table, digest, node && `in the node ${node}`].filter(part => part !== undefined).join(' ')
  return [where || 'store', code, `${MEANING[code]}${what === '' ? '' : ` (${what})`}`]
}
