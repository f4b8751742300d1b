// The script that verifies a stream file without our code, against files made here from spec/record/README.md, without our code either.
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { verifyFile } from '../verify.mjs'
import {
  chain,
  digest,
  type Event,
  erased,
  eventOf,
  hex,
  inOrder,
  type Json,
  linesOf,
  piece,
  pieces,
  STREAM,
  type StreamFile,
  TENANT,
  textOf,
  whole,
} from './testing/oracles/stream-file.ts'

interface Head extends Record<string, Json> {
  readonly stream: string
  readonly seq: number
  readonly headHash: string
}

const SEALED = 5

const folder = mkdtempSync(join(tmpdir(), 'onbook-verify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const idOf = (key: KeyObject) => `sign-${hex(key.export({ type: 'spki', format: 'der' })).slice(0, 16)}`

const signer = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKeys = `Our keys, newest last.\n${pemOf(stranger.publicKey)}and\n${pemOf(signer.publicKey)}That is all.\n`

const SMALL = Buffer.from('a small object\n')
const EMPTY = Buffer.alloc(0)
const LARGE = Buffer.from(Array.from({ length: 700 }, (_, i) => (i * i * 7919) >> 5))
const GONE = Buffer.from('erased on purpose')
const NESTED = Buffer.from([0, 255, 128, 10, 13])
const UNKNOWN = Buffer.from('nobody speaks of this')
const [small, empty, large, gone, nested, unknown] = [SMALL, EMPTY, LARGE, GONE, NESTED, UNKNOWN].map(digest) as [
  ...[string, string, string, string, string, string],
]

const PAYLOADS: readonly Json[] = [
  { title: 'Grüße, 世界 \u2028 😀 \ud800 "quoted"', body: small },
  small,
  { deep: [{ list: [[large]], number: 1.5e-7, 2: 'two', b: empty }] },
  { bodyHash: unknown, laterHashes: [unknown, { inside: unknown }], said: `it was ${unknown}`, [unknown]: true },
  null,
  { gone, __proto__hash: `${unknown} `, upper: unknown.toUpperCase() },
  { again: large, hash: small, Hash: { x: [unknown] }, proto: JSON.parse(`{"__proto__":{"list":["${nested}"]}}`) },
  [],
]

/** RFC 8785 by hand: the keys below stand in their order. */
const statementOf = (event: Event, heads: readonly Head[]) =>
  `{"heads":[${heads.map(head => JSON.stringify({ headHash: head.headHash, seq: head.seq, stream: head.stream })).join()}],` +
  `"previousHash":${JSON.stringify(event.prev)},"seq":${event.seq},"tenant":${JSON.stringify(event.tenant)}}`

function checkpoint(heads: readonly Head[], { keys = signer, change = {} as Event, payload = {} as Event } = {}) {
  const event: Event = { ...eventOf(3, digest('checkpoint 2'), null), stream: 'checkpoints', type: 'checkpoint.signed', actor: 'onbook' }
  const signature = sign(null, Buffer.from(statementOf({ ...event, ...change }, heads)), keys.privateKey).toString('base64url')
  return JSON.stringify({ ...event, ...change, payload: { heads, key: idOf(keys.publicKey), signature, ...payload } })
}

const headAt = (events: readonly string[], seq: number, stream = STREAM): Head => ({ stream, seq, headHash: digest(events[seq] ?? '') })
const otherHead: Head = { stream: 'run/"41"é', seq: 2, headHash: digest('elsewhere') }
const sealOf = (events: readonly string[], seq = SEALED) => checkpoint([otherHead, headAt(events, seq)])

function streamFile(
  events = chain(PAYLOADS),
  objects = [whole(SMALL), whole(EMPTY), whole(NESTED), pieces(LARGE), erased(gone)],
): StreamFile {
  const head = events.length === 0 ? null : digest(events.at(-1)!)
  const header = { onbook: 'stream', v: 1, tenant: TENANT, stream: STREAM, events: events.length, head, checkpoints: 1 }
  return { header, events, checkpoints: [sealOf(events)], objects: inOrder(objects) }
}

let written = 0
function save(content: string | Buffer) {
  const path = join(folder, `${written++ % 50}.jsonl`)
  writeFileSync(path, content)
  return path
}
const verifyText = (content: string | Buffer, keys: string | null = publicKeys) =>
  verifyFile(save(content), keys === null ? {} : { publicKeys: keys })

const sound = { streams: 1, events: PAYLOADS.length, objects: 5, erased: 1, breaks: [] }
const at = (code: string, sequence: number) => ({ stream: STREAM, sequence, code })
const of = (code: string, name: string) => ({ stream: STREAM, digest: name, code })
const is = (code: string) => ({ stream: STREAM, code })
const noHeader = [{ stream: '', code: 'file_malformed' }]

describe('an intact file', () => {
  it('is intact, and unsealed after the event that the checkpoint names', async () => {
    expect(await verifyText(textOf(streamFile()))).toEqual({ intact: true, unsealed: PAYLOADS.length - SEALED - 1, ...sound })
  })

  it('is unsealed from the start without a public key', async () => {
    expect(await verifyText(textOf(streamFile()), null)).toEqual({ intact: true, unsealed: PAYLOADS.length, ...sound })
  })

  it('is unsealed from the start without a checkpoint', async () => {
    const file = streamFile()
    const without = { ...file, header: { ...file.header, checkpoints: 0 }, checkpoints: [] }
    expect(await verifyText(textOf(without))).toEqual({ intact: true, unsealed: PAYLOADS.length, ...sound })
  })

  it('is sealed whole when the checkpoint names the last event', async () => {
    const file = streamFile()
    expect(await verifyText(textOf({ ...file, checkpoints: [sealOf(file.events, 7)] }))).toEqual({ intact: true, unsealed: 0, ...sound })
  })

  it('takes the first checkpoint of a tenant, which has none before it', async () => {
    const file = streamFile()
    const first = checkpoint([headAt(file.events, 0)], { change: { seq: 0, prev: null } })
    expect(await verifyText(textOf({ ...file, checkpoints: [first] }))).toMatchObject({ intact: true, unsealed: PAYLOADS.length - 1 })
  })

  it('reliability D1: every checkpoint and every anchor is compared, not only the newest', async () => {
    const file = streamFile()
    const eve = chain(PAYLOADS, event => ({ ...event, actor: 'eve' }))
    const sealed = (events: string[], ...checkpoints: string[]) =>
      textOf({ ...file, events, checkpoints, header: { ...file.header, head: digest(events.at(-1)!), checkpoints: checkpoints.length } })
    const first = checkpoint([headAt(file.events, 2)], { change: { seq: 2 } })
    expect(await verifyText(sealed(file.events, first, sealOf(file.events)))).toMatchObject({ intact: true, unsealed: 2 })
    // A newer checkpoint signs the rewritten stream; the older one still names the events from before.
    expect((await verifyText(sealed(eve, first, sealOf(eve)))).breaks).toEqual([at('checkpoint_differs', 2)])
    const against = (text: string, anchors: string) => verifyFile(save(text), { publicKeys, anchors })
    const anchor = sealOf(file.events, 4)
    expect(await against(textOf(file), anchor)).toMatchObject({ intact: true })
    expect((await against(sealed(eve, sealOf(eve)), anchor)).breaks).toEqual([at('anchor_differs', 4)])
    expect((await against(textOf(file), checkpoint([headAt(file.events, 99)]))).breaks).toEqual([at('anchor_ahead', 99)])
    expect((await against(textOf(file), anchor.replace('"seq":4', '"seq":3'))).breaks).toEqual([is('anchor_forged')])
  })

  it('may hold no event at all', async () => {
    const { header } = streamFile([], [])
    const report = await verifyText(`${JSON.stringify({ ...header, checkpoints: 0 })}\n`)
    expect(report).toEqual({ intact: true, unsealed: 0, ...sound, events: 0, objects: 0, erased: 0 })
  })

  it('may cut an object anywhere, even into empty pieces', async () => {
    const nothing = JSON.stringify({ digest: large, base64: '', more: true })
    for (const size of [1, 2, 3, 699]) {
      const objects = [whole(SMALL), whole(EMPTY), whole(NESTED), [nothing, ...pieces(LARGE, size)], erased(gone)]
      expect(await verifyText(textOf(streamFile(undefined, objects)))).toMatchObject({ intact: true, objects: 5 })
    }
  })
})

/** Replaces one line, and nothing that depends on it. */
const swap = (lines: readonly string[], index: number, change: (line: string) => string) =>
  lines.map((line, i) => (i === index ? change(line) : line))
const without = (lines: readonly string[], index: number) => lines.filter((_, i) => i !== index)
const edit = (line: string, change: (event: Event) => Event) => JSON.stringify(change(JSON.parse(line)))
/** The header says what the events are, so that only the events themselves can give the damage away. */
const fitted = (file: StreamFile, events: string[]): StreamFile => ({
  ...file,
  header: { ...file.header, events: events.length, head: events.length === 0 ? null : digest(events.at(-1)!) },
  events,
})
const inEvents = (index: number, change: (line: string) => string) => (file: StreamFile) => ({
  ...file,
  events: swap(file.events, index, change),
})
const inEvent = (index: number, change: (event: Event) => Event) => inEvents(index, line => edit(line, change))
const inHeader = (change: Record<string, Json>) => (file: StreamFile) => ({ ...file, header: { ...file.header, ...change } })
const inObject =
  (name: string, change: (line: string) => string, nth = 0) =>
  (file: StreamFile) => ({
    ...file,
    objects: swap(file.objects, file.objects.findIndex(line => line.includes(name)) + nth, change),
  })
const sealedBy = (make: (events: string[]) => string) => (file: StreamFile) => ({ ...file, checkpoints: [make(file.events)] })
const withObjects = (make: (file: StreamFile) => string[]) => (file: StreamFile) => ({ ...file, objects: make(file) })
const unseal = (file: StreamFile) => ({ ...file, header: { ...file.header, checkpoints: 0 }, checkpoints: [] })
const foreign = JSON.stringify({ ...eventOf(3, null, null), stream: 'run/43' })
const [FIRST, LAST] = [small, empty, large, gone, nested].toSorted().filter((_, i) => i === 0 || i === 4) as [string, string]
const digestIn = (line: string) => line.slice(0, '{"digest":"sha256:'.length + 64)
const sorted = (lines: readonly string[]) => lines.toSorted((a, b) => (digestIn(a) === digestIn(b) ? 0 : a < b ? -1 : 1))
const first = (file: StreamFile, name: string) => file.objects.findIndex(line => line.includes(name))
const actorX = (line: string) => edit(line, it => ({ ...it, actor: 'x' }))
const trade = (lines: readonly string[], a: number, b: number) => lines.with(a, lines[b]!).with(b, lines[a]!)
const vLast = ({ v, ...it }: Event): Event => ({ ...it, v: v! })
function resign(change: (text: string) => string) {
  return (event: Event): Event => {
    const payload = event.payload as Event
    return { ...event, payload: { ...payload, signature: change(String(payload.signature)) } }
  }
}
/** The last letter of 64 bytes carries two bits only, so its neighbour decodes to the same bytes. */
const respell = (text: string) => text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1)

const signedWith = (options: Parameters<typeof checkpoint>[1]) => sealedBy(it => checkpoint([headAt(it, SEALED)], options))
const inSeal = (change: (event: Event) => Event) => sealedBy(it => edit(sealOf(it), change))
const inSignature = (change: (text: string) => string) => inSeal(resign(change))
const refit = (change: (events: string[]) => string[]) => (file: StreamFile) => fitted(file, change(file.events))
const rewritten = (change: (event: Event) => Event) => refit(() => chain(PAYLOADS, change))
const afterSmall = (lines: string[]) => withObjects(file => file.objects.toSpliced(first(file, small) + 1, 0, ...lines))

/** Breaks in short: a code, and the sequence or the object it is about. */
const NO_HEADER = 'no header'
const NAMES: Record<string, string> = { small, empty, large, gone, nested, unknown, FIRST }
function breaksOf(text: string) {
  if (text === NO_HEADER) return noHeader
  return text.split(', ').flatMap(one => {
    const [code, about] = one.split(' ') as [string, string?]
    if (about === undefined) return code === '' ? [] : [is(code)]
    return about in NAMES ? [of(code, NAMES[about]!)] : [at(code, Number(about))]
  })
}

type Case = readonly [why: string, damage: (file: StreamFile) => StreamFile, breaks: string]

const HEADERS: readonly Case[] = [
  ['another product', inHeader({ onbook: 'book' }), NO_HEADER],
  ['another version', inHeader({ v: 2 }), NO_HEADER],
  ['one key more', inHeader({ more: true }), NO_HEADER],
  ['keys in another order', file => ({ ...file, header: vLast(file.header) }), NO_HEADER],
  ['a count that is a text', inHeader({ events: '8' }), NO_HEADER],
  ['a count below zero', inHeader({ events: -1 }), NO_HEADER],
  ['a count with a fraction', inHeader({ events: 7.5 }), NO_HEADER],
  ['a checkpoint more than there is', inHeader({ checkpoints: 2 }), 'file_malformed'],
  ['a number of checkpoints that is not one', inHeader({ checkpoints: -1 }), NO_HEADER],
  ['events and no head', inHeader({ head: null }), NO_HEADER],
  ['a head and no events', inHeader({ events: 0 }), NO_HEADER],
  ['a head in capitals', inHeader({ head: digest('x').toUpperCase() }), NO_HEADER],
  ['a tenant without a name', inHeader({ tenant: '' }), NO_HEADER],
  ['a stream with a line break', inHeader({ stream: 'run\n42' }), NO_HEADER],
  ['a stream with too long a name', inHeader({ stream: 's'.repeat(513) }), NO_HEADER],
  ['another head', inHeader({ head: digest('x') }), 'chain_broken 7'],
  ['one event too many', inHeader({ events: 9 }), 'event_misplaced 8, file_malformed'],
  ['many events too many', inHeader({ events: 99 }), 'event_misplaced 8, file_malformed'],
  ['one event too few', inHeader({ events: 7 }), 'chain_broken 6, checkpoint_forged, file_malformed'],
  ['no checkpoint, though there is one', inHeader({ checkpoints: 0 }), 'file_malformed'],
  ['a checkpoint, though there is none', file => ({ ...file, checkpoints: [] }), 'file_malformed'],
]

const EVENTS: readonly Case[] = [
  ['another payload', inEvent(2, it => ({ ...it, payload: [large, empty] })), 'chain_broken 2'],
  ['another actor in the first', inEvent(0, it => ({ ...it, actor: 'user:bob' })), 'chain_broken 0'],
  ['another payload in the last', inEvent(7, it => ({ ...it, payload: 1 })), 'chain_broken 7'],
  ['another payload where the seal is', inEvent(5, it => ({ ...it, payload: { gone } })), 'chain_broken 5, checkpoint_differs 5'],
  ['another prev', inEvent(3, it => ({ ...it, prev: digest('x') })), 'chain_broken 2, chain_broken 3'],
  ['no prev', inEvent(3, it => ({ ...it, prev: null })), 'chain_broken 2, chain_broken 3'],
  ['a prev in the first', inEvent(0, it => ({ ...it, prev: digest('x') })), 'chain_broken 0'],
  ['a chain forged to its end, head and all', rewritten(it => ({ ...it, actor: 'x' })), 'checkpoint_differs 5'],
  ['the same after the seal', rewritten(it => (it.seq === 6 ? { ...it, actor: 'x' } : it)), ''],
  ['another tenant', inEvent(3, it => ({ ...it, tenant: 'evil' })), 'event_misplaced 3'],
  ['another stream', inEvent(3, it => ({ ...it, stream: 'run/43' })), 'event_misplaced 3'],
  ['an event of another stream put in', refit(events => events.toSpliced(3, 0, foreign)), 'event_misplaced 3'],
  ['another sequence', inEvent(3, it => ({ ...it, seq: 7 })), 'sequence_broken 3'],
  ['the sequence of the sealed one', inEvent(7, it => ({ ...it, seq: 5 })), 'sequence_broken 7'],
  ['an event cut out', refit(events => without(events, 4)), 'sequence_broken 4'],
  ['the first event cut out', file => unseal(fitted(file, file.events.slice(1))), 'sequence_broken 0'],
  ['an event cut out, and the next changed', refit(events => swap(without(events, 1), 1, actorX)), 'sequence_broken 1, chain_broken 2'],
  ['an event twice', refit(events => events.toSpliced(4, 0, events[3]!)), 'sequence_broken 4'],
  ['two events changed places', refit(events => trade(events, 2, 3)), 'sequence_broken 2, sequence_broken 3'],
  ['events cut off before the seal', refit(events => events.slice(0, 4)), 'checkpoint_ahead 5, object_unknown nested, object_unknown gone'],
  ['events cut off after the seal', refit(events => events.slice(0, 7)), ''],
  ['a blank in it', inEvents(3, line => line.replace('{"v":1,', '{"v":1, ')), 'event_unreadable 3'],
  ['a carriage return after it', inEvents(3, line => `${line}\r`), 'event_unreadable 3'],
  ['a byte order mark before it', inEvents(3, line => `\ufeff${line}`), 'event_unreadable 3'],
  ['an escape where none is needed', inEvents(3, line => line.replace('user', '\\u0075ser')), 'event_unreadable 3'],
  ['a key twice', inEvents(3, line => line.replace('{"v":1,', '{"v":1,"v":1,')), 'event_unreadable 3'],
  ['keys in another order', inEvent(3, vLast), 'event_unreadable 3'],
  ['one key more', inEvent(3, it => ({ ...it, more: 1 })), 'event_unreadable 3'],
  ['no payload', inEvent(7, ({ payload: _, ...it }) => it), 'event_unreadable 7'],
  ['another version', inEvent(3, it => ({ ...it, v: 2 })), 'event_unreadable 3'],
  ['a number nobody would write', inEvents(7, line => line.replace('[]', '1.0')), 'event_unreadable 7'],
  ['not JSON', inEvents(3, () => 'hello'), 'event_unreadable 3'],
  ['an empty line', inEvents(4, () => ''), 'event_unreadable 4'],
  [
    'an empty line put in',
    file => ({ ...file, events: file.events.toSpliced(4, 0, '') }),
    'event_unreadable 4, chain_broken 6, checkpoint_forged, file_malformed',
  ],
  ['a list', inEvents(3, () => '[]'), 'event_unreadable 3'],
  ['unreadable where the seal is', inEvents(5, () => '{}'), 'event_unreadable 5, checkpoint_differs 5, object_unknown gone'],
  ['nested as no event is', inEvents(7, line => line.replace('[]', `${'['.repeat(101)}${']'.repeat(101)}`)), 'event_unreadable 7'],
  ['nested beyond measure', inEvents(7, line => line.replace('[]', `${'['.repeat(1e6)}${']'.repeat(1e6)}`)), 'event_unreadable 7'],
  ['longer than a line may be', inEvents(7, line => line.replace('[]', `"${'x'.repeat(8 << 20)}"`)), 'file_malformed 7'],
]

const CHECKPOINTS: readonly Case[] = [
  ['signed by a key that calls itself ours', signedWith({ keys: stranger, payload: { key: idOf(signer.publicKey) } }), 'checkpoint_forged'],
  ['another signature', signedWith({ payload: { signature: Buffer.alloc(64).toString('base64url') } }), 'checkpoint_forged'],
  ['a signature with padding', inSignature(text => `${text}==`), 'checkpoint_forged'],
  ['a signature spelled another way', inSignature(respell), 'checkpoint_forged'],
  ['a signature cut short', inSignature(text => text.slice(4)), 'checkpoint_forged'],
  ['another sequence of its own', inSeal(event => ({ ...event, seq: 4 })), 'checkpoint_forged'],
  ['another prev', inSeal(event => ({ ...event, prev: null })), 'checkpoint_forged'],
  ['another head of another stream', sealedBy(it => sealOf(it).replace('"seq":2', '"seq":1')), 'checkpoint_forged'],
  ['another tenant, signed', signedWith({ change: { tenant: 'evil' } }), 'checkpoint_forged'],
  ['another stream, signed', signedWith({ change: { stream: STREAM } }), 'checkpoint_forged'],
  ['another type, signed', signedWith({ change: { type: 'checkpoint.drafted' } }), 'checkpoint_forged'],
  ['without this stream, signed', sealedBy(() => checkpoint([otherHead])), 'checkpoint_forged'],
  ['with this stream twice, signed', sealedBy(it => checkpoint([headAt(it, 5), headAt(it, 5)])), 'checkpoint_forged'],
  ['without heads', sealedBy(() => checkpoint([])), 'checkpoint_forged'],
  ['heads that are none', signedWith({ payload: { heads: [1] } }), 'checkpoint_forged'],
  ['no payload', inSeal(event => ({ ...event, payload: null })), 'checkpoint_forged'],
  ['a blank in it', sealedBy(it => sealOf(it).replace('{"v":1,', '{"v":1, ')), 'checkpoint_forged'],
  ['an event of the stream', sealedBy(it => it[7]!), 'checkpoint_forged'],
  ['not JSON', sealedBy(() => 'sealed, believe me'), 'checkpoint_forged'],
  ['a key nobody gave us', signedWith({ payload: { key: 'sign-0123456789abcdef' } }), 'checkpoint_key_unknown'],
  ['another name, signed', sealedBy(it => checkpoint([{ ...headAt(it, 5), headHash: digest('x') }])), 'checkpoint_differs 5'],
  ['the name of another event, signed', sealedBy(it => checkpoint([{ ...headAt(it, 5), seq: 4 }])), 'checkpoint_differs 4'],
  ['one event beyond the end, signed', sealedBy(it => checkpoint([headAt(it, 8)])), 'checkpoint_ahead 8'],
  ['two checkpoints', file => ({ ...file, checkpoints: [file.checkpoints[0]!, file.checkpoints[0]!] }), 'file_malformed'],
]

const OBJECTS: readonly Case[] = [
  ['one is gone', withObjects(file => file.objects.filter(line => !line.includes(small))), 'object_missing small'],
  ['an erased one is gone', withObjects(file => file.objects.filter(line => !line.includes(gone))), 'object_missing gone'],
  ['other bytes', inObject(small, () => piece(small, 'AAAA')), 'object_corrupt small'],
  ['bytes missing', inObject(small, () => piece(small, SMALL.subarray(1).toString('base64'))), 'object_corrupt small'],
  ['base64 spelled another way', inObject(nested, () => piece(nested, 'AP+ACg1=')), 'object_corrupt nested'],
  ['base64 without padding', inObject(nested, () => piece(nested, 'AP+ACg0')), 'object_corrupt nested'],
  ['base64 for addresses', inObject(nested, () => piece(nested, 'AP-ACg0=')), 'object_corrupt nested'],
  ['a piece changed', inObject(large, line => line.replace('"base64":"', '"base64":"AAAA'), 1), 'object_corrupt large'],
  ['the first piece gone', withObjects(file => without(file.objects, first(file, large))), 'object_corrupt large'],
  ['the last piece gone', withObjects(file => without(file.objects, first(file, large) + 2)), 'object_corrupt large'],
  ['pieces changed places', withObjects(file => trade(file.objects, first(file, large), first(file, large) + 1)), 'object_corrupt large'],
  ['more is said to come', inObject(small, line => line.replace('}', ',"more":true}')), 'object_corrupt small'],
  ['no more is said to come', inObject(large, line => line.replace(',"more":true', '')), 'object_corrupt large, file_malformed large'],
  ['base64 of nothing spelled another way', inObject(empty, () => piece(empty, '=')), 'object_corrupt empty'],
  ['a line put between pieces', withObjects(file => file.objects.toSpliced(first(file, large) + 1, 0, '{}')), 'file_malformed'],
  ['a piece that cannot be read', inObject(large, () => '{', 1), 'file_malformed, object_corrupt large'],
  ['erased in the middle of its pieces', inObject(large, () => erased(large)[0]!, 2), 'object_corrupt large, file_malformed large'],
  ['more that is false', inObject(large, line => line.replace('"more":true', '"more":false')), 'file_malformed, object_corrupt large'],
  ['one that nothing speaks of', withObjects(file => sorted([...file.objects, ...whole(UNKNOWN)])), 'object_unknown unknown'],
  ['an erased one that nothing speaks of', withObjects(file => sorted([...file.objects, ...erased(unknown)])), 'object_unknown unknown'],
  ['one twice', afterSmall(whole(SMALL)), 'file_malformed small'],
  ['one twice, once erased', afterSmall(erased(small)), 'file_malformed small'],
  [
    'out of order',
    withObjects(file => file.objects.toSorted((a, b) => Number(b.includes(LAST)) - Number(a.includes(LAST)))),
    'file_malformed FIRST',
  ],
  ['a blank', inObject(small, line => line.replace(',', ', ')), 'file_malformed small'],
  ['a carriage return', inObject(small, line => `${line}\r`), 'file_malformed small'],
  ['an escape where none is needed', inObject(small, line => line.replace('sha', '\\u0073ha')), 'file_malformed small'],
  ['one key more', inObject(small, line => line.replace('}', ',"x":1}')), 'file_malformed, object_missing small'],
  [
    'keys in another order',
    inObject(small, line => edit(line, ({ digest, ...it }) => ({ ...it, digest: digest! }))),
    'file_malformed, object_missing small',
  ],
  ['erased, but not quite', inObject(gone, line => line.replace('true', 'false')), 'file_malformed, object_missing gone'],
  ['a digest in capitals', inObject(small, line => line.replace(small, small.toUpperCase())), 'file_malformed, object_missing small'],
  ['not JSON', inObject(small, () => 'hello'), 'file_malformed, object_missing small'],
  ['an empty line at the end', withObjects(file => [...file.objects, '']), 'file_malformed'],
  ['an event at the end', withObjects(file => [...file.objects, file.events[0]!]), 'file_malformed'],
  [
    'longer than a line may be',
    inObject(small, line => line.replace('base64":"', `$&${'A'.repeat(8 << 20)}`)),
    'file_malformed, object_missing small',
  ],
]

describe.each([
  ['the header', HEADERS],
  ['an event', EVENTS],
  ['the checkpoint', CHECKPOINTS],
  ['an object', OBJECTS],
])('damage in %s', (_, cases) => {
  it.each(cases)('%s', async (_why, damage, breaks) => {
    const report = await verifyText(textOf(damage(streamFile())))
    expect(report.breaks).toEqual(breaksOf(breaks))
    expect(report.intact).toBe(breaks === '')
  })
})

describe('what a seal is worth', () => {
  const { events, ...rest } = streamFile()
  const unsealedOf = async (seal: string, keys: string | null = publicKeys) =>
    (await verifyText(textOf({ ...rest, events, checkpoints: [seal] }), keys)).unsealed

  it('seals nothing when it does not hold', async () => {
    expect(await unsealedOf(sealOf(events).replace('"seq":2', '"seq":1'))).toBe(8)
    expect(await unsealedOf(checkpoint([{ ...headAt(events, 5), headHash: digest('x') }]))).toBe(8)
    expect(await unsealedOf(checkpoint([headAt(events, 8)]))).toBe(8)
    expect(await unsealedOf(sealOf(events), pemOf(stranger.publicKey))).toBe(8)
  })

  it('is held against the events even when nobody can check the signature', async () => {
    const seal = checkpoint([{ ...headAt(events, 5), headHash: digest('x') }], { keys: stranger })
    const breaks = async (keys: string | null) => (await verifyText(textOf({ ...rest, events, checkpoints: [seal] }), keys)).breaks
    expect(await breaks(null)).toEqual([at('checkpoint_differs', 5)])
    expect(await breaks(pemOf(signer.publicKey))).toEqual([is('checkpoint_key_unknown'), at('checkpoint_differs', 5)])
  })

  it('is none without the 64 bytes of a signature, whoever looks', async () => {
    const seal = edit(
      sealOf(events),
      resign(text => text.slice(4)),
    )
    const report = await verifyText(textOf({ ...rest, events, checkpoints: [seal] }), null)
    expect(report.breaks).toEqual([is('checkpoint_forged')])
  })

  it('refuses a key file without an Ed25519 public key', async () => {
    const path = save(textOf(streamFile()))
    const secret = signer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    for (const text of ['', secret, pemOf(rsa.publicKey), publicKeys.replaceAll('M', '!')]) {
      await expect(verifyFile(path, { publicKeys: text })).rejects.toThrow('no Ed25519 public key')
    }
  })
})

describe('a file that is not whole', () => {
  const text = textOf(streamFile())

  it.each([
    ['empty', '', noHeader],
    ['one line break', '\n', noHeader],
    ['a byte order mark before it', `\ufeff${text}`, noHeader],
    ['CRLF', text.replaceAll('\n', '\r\n'), noHeader],
    ['CR', text.replaceAll('\n', '\r'), noHeader],
    ['blanks in the header', text.replace(',', ', '), noHeader],
    ['zeros', Buffer.alloc(9 << 20), noHeader],
    ['no LF at its end', text.slice(0, -1), [is('file_malformed')]],
    ['one LF too many', `${text}\n`, [is('file_malformed')]],
    ['half a line more', `${text}{"dig`, [is('file_malformed')]],
    ['another file after it', text + text, null],
    ['UTF-16', Buffer.from(text, 'utf16le'), noHeader],
  ])('%s', async (_, content, breaks) => {
    const report = await verifyText(content)
    expect(report.intact).toBe(false)
    if (breaks) expect(report.breaks).toEqual(breaks)
  })

  it('ends in its events: what they spoke of is missing too', async () => {
    const { header, events } = streamFile()
    const missing = [of('object_missing', small), of('object_missing', empty), of('object_missing', large)]
    const cut = `${[JSON.stringify(header), ...events.slice(0, 3)].join('\n')}\n`
    expect((await verifyText(cut)).breaks).toEqual([is('file_malformed'), ...missing])
    const cutInLine = `${cut}${events[3]!.slice(0, 50)}`
    expect((await verifyText(cutInLine)).breaks).toEqual([at('event_unreadable', 3), is('file_malformed'), ...missing])
  })

  it('ends between the pieces of an object', async () => {
    const file = unseal(streamFile(chain([large]), [pieces(LARGE).slice(0, -1)]))
    expect((await verifyText(textOf(file))).breaks).toEqual([of('object_corrupt', large)])
  })

  it('is not UTF-8 in an event, though everything else fits', async () => {
    const [before, after] = textOf(unseal(streamFile(chain(['¤']), []))).split('¤') as [string, string]
    const content = Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)])
    const event = content.subarray(content.indexOf(10) + 1, -1)
    const refitted = content.toString('latin1').replace(/sha256:[0-9a-f]{64}/, digest(event))
    expect((await verifyText(Buffer.from(refitted, 'latin1'))).breaks).toEqual([at('event_unreadable', 0)])
  })

  it('is broken wherever it is cut', async () => {
    const bytes = Buffer.from(text)
    const ends = [...bytes.keys()].filter(i => bytes[i] === 10 || i % 97 === 0)
    for (const end of ends) expect((await verifyText(bytes.subarray(0, end))).intact, `cut at ${end}`).toBe(false)
    for (const end of ends.filter(i => bytes[i] === 10 && i + 1 < bytes.length)) {
      expect((await verifyText(bytes.subarray(0, end + 1))).intact, `cut after the line at ${end}`).toBe(false)
    }
  })

  it('is broken when any line is left out, twice, or traded with the next', async () => {
    const lines = linesOf(streamFile())
    for (const i of lines.keys()) {
      const variants = [without(lines, i), lines.toSpliced(i, 0, lines[i]!), i > 0 ? trade(lines, i - 1, i) : []]
      for (const [kind, variant] of variants.entries()) {
        const content = variant.map(line => `${line}\n`).join('')
        expect((await verifyText(content)).intact, `line ${i}, variant ${kind}`).toBe(false)
      }
    }
  })

  it('lists a thousand breaks and counts the others', async () => {
    const events = Array.from({ length: 1200 }, () => '{}')
    const report = await verifyText(textOf(unseal(fitted(streamFile([], []), events))))
    expect([report.breaks.length, report.moreBreaks, report.breaks.at(-1)]).toEqual([1000, 200, at('event_unreadable', 999)])
  })
})

describe('one flipped bit', () => {
  const file = streamFile()
  const bytes = Buffer.from(textOf(file))
  const seal = file.checkpoints[0]!
  const sealFrom = bytes.indexOf(seal)
  /** When a checkpoint was written, by whom and why is neither signed nor named by anything in this file. */
  const unsigned = ['"at":"', '"actor":"', '"cause":"'].map(key => {
    const from = seal.indexOf(key) + key.length
    return { from: sealFrom + from, to: sealFrom + seal.indexOf('"', from) }
  })
  const mayPass = (i: number) => unsigned.some(({ from, to }) => i >= from && i < to)
  const flipped = (i: number, bit: number) => {
    const copy = Buffer.from(bytes)
    copy[i] = copy[i]! ^ (1 << bit)
    return copy
  }
  /** The same places every time: a failure can be looked at again. */
  const places = Array.from({ length: 900 }, (_, n) => ({ i: (n * 7919) % bytes.length, bit: (n * 5 + (n >> 3)) % 8 }))

  it('is always noticed, but for what nobody signs', async () => {
    const unnoticed: number[] = []
    for (const { i, bit } of places) if ((await verifyText(flipped(i, bit))).intact) unnoticed.push(i)
    expect(unnoticed.filter(i => !mayPass(i))).toEqual([])
  })

  it('is always noticed outside the checkpoint, with no key at all', async () => {
    const outside = places.filter(({ i }) => i < sealFrom || i >= sealFrom + Buffer.byteLength(seal))
    for (const { i, bit } of outside.filter((_, n) => n % 3 === 0)) {
      expect((await verifyText(flipped(i, bit), null)).intact, `bit ${bit} of byte ${i}`).toBe(false)
    }
  })

  it('is always noticed anywhere in the checkpoint that the key vouches for', async () => {
    const signed = Array.from({ length: Buffer.byteLength(seal) }, (_, n) => sealFrom + n).filter(i => !mayPass(i))
    for (const i of signed) expect((await verifyText(flipped(i, i % 7))).intact, `byte ${i}`).toBe(false)
  })
})

describe('the command', () => {
  const path = join(folder, 'stream.jsonl')
  const keyPath = join(folder, 'keys.pem')
  const brokenPath = join(folder, 'broken.jsonl')
  const file = streamFile()
  writeFileSync(path, textOf(file))
  writeFileSync(keyPath, publicKeys)
  writeFileSync(brokenPath, textOf(inEvent(2, it => ({ ...it, payload: [large, empty] }))(file)))
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['verify.mjs', ...args], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  it('prints one JSON object', () => {
    const { status, stdout } = run(path, '--public-key', keyPath, '--json')
    expect([status, stdout]).toEqual([0, `${JSON.stringify({ intact: true, unsealed: 2, ...sound })}\n`])
  })

  it('tells a person what is sealed', () => {
    const { status, stdout } = run(path, '--public-key', keyPath)
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'Stream "run/42" of tenant "acme": 8 events, 5 objects.',
      `Checked: the bytes, place and chain of every event; the bytes of every object; the signatures of checkpoints, by ${idOf(signer.publicKey)}.`,
      'Erased: 1 object. Only the stream "audit" can prove it.',
      'Unsealed: 2 events, because the last checkpoint covers event 5 and what is before it.',
      'intact',
      '',
    ])
  })

  it('tells a person what is broken', () => {
    const { status, stdout } = run(brokenPath)
    expect(status).toBe(1)
    expect(stdout).toContain('Unsealed: 8 events, because no public key was given.\nchain_broken event 2: ')
    expect(stdout.endsWith('\nBROKEN\n')).toBe(true)
  })

  it('explains itself', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage: node verify.mjs FILE') })
  })

  it.each([
    ['no file', []],
    ['two files', [path, path]],
    ['an unknown option', [path, '--fast']],
    ['a file that is not there', [join(folder, 'nowhere')]],
    ['a folder', [folder]],
    ['a key file that is not there', [path, '--public-key', join(folder, 'nowhere')]],
    ['a key file without a key', [path, '--public-key', path]],
  ])('ends with 2 for %s', (_, args) => {
    const { status, stdout, stderr } = run(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).not.toMatch(/^ {4}at /m)
  })
})
