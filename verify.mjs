// Verifies one exported stream or run without any of our code: written from spec/record/README.md alone. It reads, and changes nothing.
// @ts-check
import { isUtf8 } from 'node:buffer'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, readFileSync, realpathSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** @typedef {import('node:crypto').KeyObject} KeyObject */
/** @typedef {{ stream: string, sequence?: number, digest?: string, code: string }} Break */
/** @typedef {{ stream?: string, sequence?: number, digest?: string }} Place */
/** @typedef {{ at: Break, why: string }} Found */
/**
 * @typedef {{ intact: boolean, unsealed: number, streams: number, events: number, objects: number, erased: number, breaks: Break[],
 *   moreBreaks?: number }} Report
 */
/** @typedef {{ bytes: Buffer | null, ended: boolean }} Line `bytes` is null when the line is too long to be one. */
/** @typedef {{ tenant: string, stream: string, events: number, head: string | null }} Part a stream, or its beginning */
/** @typedef {Part & { checkpoints: number }} Header */
/** @typedef {Part & { objects: boolean }} RunPart `objects`: whether what its events speak of is in the file */
/** @typedef {{ tenant: string, run: string, streams: RunPart[], checkpoints: number }} Run */
/** @typedef {{ tenant: string, stream: string, seq: number, type: string, prev: string | null, payload: unknown }} Event */
/** @typedef {{ stream: string, seq: number, headHash: string }} Head */
/** @typedef {{ heads: Head[], key: string, signature: string }} Seal */
/** @typedef {'forged' | 'unchecked' | 'key_unknown' | 'signed'} Standing */
/** @typedef {{ standing: Standing, head?: Head, key?: string }} Checkpoint of a stream file */
/** @typedef {{ standing: Standing, tenant: string, heads: Head[], key?: string }} RunCheckpoint with those heads that are in the file */
/**
 * `read`: streams so far; `heads`: of every stream, by sequence; `name`: of all lines so far
 * @typedef {{ run: Run, read: number, checkpoints: RunCheckpoint[], heads: Map<string, Map<number, Head[]>>, name: string,
 *   end: 'due' | 'met' | 'passed' }} Running
 */
/** @typedef {{ seq: number, prev?: string | null }} Expected what the next event may be; without `prev`, it may name anything */
/** @typedef {{ digest: string, judged: boolean, sound: boolean, hash: import('node:crypto').Hash, size: number, parts: Buffer[] }} Open */
/**
 * @typedef {object} Check
 * @property {Part | null} header of the stream that is being read
 * @property {Running | null} running where the file is of a run
 * @property {Checkpoint[]} checkpoints
 * @property {number} taken how many of them were reached
 * @property {RunCheckpoint[]} anchors with those heads that are about streams in the file
 * @property {number} line
 * @property {boolean} ended
 * @property {number} malformedLine
 * @property {number} brokenLink
 * @property {{ events: number, checkpoints: number }} due
 * @property {Expected[]} expected
 * @property {Map<number, Head[]>} heads that checkpoints give to events of this stream, by sequence
 * @property {Map<Head, string>} sealedNames the names that these events have
 * @property {number} sealed
 * @property {Map<string, boolean>} named every digest that an event or a node has spoken of, and whether the file has it
 * @property {Map<string, boolean>} unclaimed every other object in the file so far, and whether it is sound: a node may speak of it yet
 * @property {Open | null} open
 * @property {string} lastDigest
 * @property {number} events
 * @property {number} objects
 * @property {number} erased
 * @property {Found[]} found
 * @property {number} more
 */

const LONGEST_LINE = 8 * 1024 * 1024
const MOST_BREAKS = 1000
const DIGEST = /^sha256:[0-9a-f]{64}$/
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g
const RUN_KEYS = ['onbook', 'v', 'tenant', 'run', 'streams', 'checkpoints', 'leftOut']
const RUN_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/
const MOST_STREAMS = 20_000
const HEADER_KEYS = ['onbook', 'v', 'tenant', 'stream', 'events', 'head', 'checkpoints']
const EVENT_KEYS = ['v', 'tenant', 'stream', 'seq', 'type', 'at', 'actor', 'cause', 'prev', 'payload']
const NODE_MARK = Buffer.from('{"$node":')
const MOST_NODE_BYTES = 1_048_576
const MOST_DEPTH = 100
const OBJECT_FORMS = [
  ['digest', 'base64'],
  ['digest', 'base64', 'more'],
  ['digest', 'erased'],
]
const USAGE = `Usage: node verify.mjs FILE [--public-key FILE] [--anchor FILE] [--json]

Verifies what "onbook run export" wrote: a stream, or a run.

  --public-key FILE  public keys in PEM form; without them no signature is checked
  --anchor FILE      compare with what "onbook store anchor" wrote; needs --public-key
  --json             print the result as one JSON object
  --help             print this

Exit code: 0 intact, 1 broken, 2 wrong usage or a file that cannot be read.
`

// Reading

/** @param {string} path @returns {AsyncGenerator<Line>} */
async function* readLines(path) {
  /** @type {Buffer[]} */
  let parts = []
  let size = 0
  for await (const data of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const chunk = /** @type {Buffer} */ (data)
    let from = 0
    for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
      yield joinLine([...parts, chunk.subarray(from, to)], size + to - from, true)
      parts = []
      size = 0
      from = to + 1
    }
    size += chunk.length - from
    if (size > LONGEST_LINE) parts = []
    else parts.push(chunk.subarray(from))
  }
  if (size > 0) yield joinLine(parts, size, false)
}

/** @param {Buffer[]} parts @param {number} size @param {boolean} ended @returns {Line} */
function joinLine(parts, size, ended) {
  return { bytes: size > LONGEST_LINE ? null : Buffer.concat(parts), ended }
}

/** @param {string} path @param {number} first @param {number} count */
async function* linesFrom(path, first, count) {
  let at = 0
  for await (const line of readLines(path)) {
    if (at >= first + count) return
    if (at++ >= first) yield line
  }
}

/** `exact`: the bytes are what JSON.stringify makes of the value. @param {Buffer | null} bytes */
function readJson(bytes) {
  if (bytes === null || !isUtf8(bytes)) return null
  try {
    const text = bytes.toString()
    const value = /** @type {unknown} */ (JSON.parse(text))
    return { value, exact: JSON.stringify(value) === text }
  } catch {
    return null // not JSON, or nested deeper than JSON.stringify can write
  }
}

/** @param {string | NodeJS.ArrayBufferView} bytes */
const digestOf = bytes => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

// Forms

/** @param {unknown} value @param {readonly string[]} keys @returns {Record<string, unknown> | null} */
function withKeys(value, keys) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const own = Object.keys(value)
  const same = own.length === keys.length && keys.every((key, i) => own[i] === key)
  return same ? /** @type {Record<string, unknown>} */ (value) : null
}

/** @param {unknown} value @returns {value is string} */
const isDigest = value => typeof value === 'string' && DIGEST.test(value)
/** @param {unknown} value @returns {value is number} */
const isCount = value => Number.isSafeInteger(value) && Number(value) >= 0
/** @param {unknown} value @returns {value is string} */
const isName = value => typeof value === 'string' && value.length <= 512 && /^[^\p{Cc}\p{Cs}]+$/u.test(value) && !DIGEST.test(value)

/** @param {Line} line @returns {Header | null} */
function readHeader(line) {
  const read = readJson(line.bytes)
  const it = withKeys(read?.value, HEADER_KEYS)
  if (!read?.exact || !it || it.onbook !== 'stream' || it.v !== 1) return null
  if (!isName(it.tenant) || !isName(it.stream) || !isCount(it.events)) return null
  if (it.events === 0 ? it.head !== null : !isDigest(it.head)) return null
  return isCount(it.checkpoints) ? /** @type {Header} */ (/** @type {unknown} */ (it)) : null
}

/** @param {Line} line @returns {Run | null} */
function readRun(line) {
  const read = readJson(line.bytes)
  const it = withKeys(read?.value, RUN_KEYS)
  if (!read?.exact || !it || it.onbook !== 'run' || it.v !== 1 || !isName(it.tenant)) return null
  if (typeof it.run !== 'string' || !RUN_ID.test(it.run) || !isCount(it.checkpoints)) return null
  const { tenant, run, streams, leftOut } = it
  if (!Array.isArray(streams) || streams.length > MOST_STREAMS || !streams.every(isRunPart) || !Array.isArray(leftOut)) return null
  if (leftOut.length > MOST_STREAMS || !leftOut.every(isLeftOut)) return null
  const names = streams.map(nameOf)
  const ordered = names.every((name, i) => i === 0 || String(names[i - 1]) < name)
  return ordered && names.includes(nameOf({ tenant, stream: `run/${run}` })) ? /** @type {Run} */ (/** @type {unknown} */ (it)) : null
}

/** @param {{ tenant: string, stream: string }} part */
const nameOf = ({ tenant, stream }) => JSON.stringify([tenant, stream])

/** @param {unknown} value */
function isRunPart(value) {
  const it = withKeys(value, ['tenant', 'stream', 'events', 'head', 'objects'])
  if (!it || !isName(it.tenant) || !isName(it.stream) || typeof it.objects !== 'boolean') return false
  return isCount(it.events) && it.events > 0 && isDigest(it.head)
}

/** @param {unknown} value */
function isLeftOut(value) {
  const it = withKeys(value, ['tenant', 'stream', 'reason'])
  return it !== null && isName(it.tenant) && isName(it.stream) && typeof it.reason === 'string' && it.reason !== ''
}

/** @param {Buffer | null} bytes @returns {Event | null} */
function readEvent(bytes) {
  const read = readJson(bytes)
  const it = withKeys(read?.value, EVENT_KEYS)
  if (!read?.exact || !it || it.v !== 1 || !isName(it.tenant) || !isName(it.stream) || !isCount(it.seq)) return null
  if (!isName(it.type) || typeof it.at !== 'string' || !isName(it.actor) || !(it.cause === null || isName(it.cause))) return null
  if (isDeeperThan(it.payload, MOST_DEPTH)) return null
  return it.prev === null || isDigest(it.prev) ? /** @type {Event} */ (/** @type {unknown} */ (it)) : null
}

/** @param {unknown} value @returns {Seal | null} */
function readSeal(value) {
  const it = withKeys(value, ['heads', 'key', 'signature'])
  if (!it || !Array.isArray(it.heads) || !it.heads.every(isHead)) return null
  if (typeof it.key !== 'string' || !/^sign-[0-9a-f]{16}$/.test(it.key)) return null
  return typeof it.signature === 'string' ? /** @type {Seal} */ (/** @type {unknown} */ (it)) : null
}

/** @param {unknown} value */
function isHead(value) {
  const it = withKeys(value, ['stream', 'seq', 'headHash'])
  return it !== null && isName(it.stream) && isCount(it.seq) && isDigest(it.headHash)
}

/** @param {unknown} value @returns {{ digest: string, base64?: string, more?: true, erased?: true } | null} */
function readObject(value) {
  const it = OBJECT_FORMS.map(keys => withKeys(value, keys)).find(found => found !== null)
  if (!it || !isDigest(it.digest)) return null
  const right = 'erased' in it ? it.erased === true : typeof it.base64 === 'string' && (!('more' in it) || it.more === true)
  return right ? /** @type {{ digest: string }} */ (/** @type {unknown} */ (it)) : null
}

/** Base64 has spellings that decode to the same bytes; only one of them is written. @param {string} text @param {BufferEncoding} as */
function decode(text, as) {
  const bytes = Buffer.from(text, as)
  return bytes.toString(as) === text ? bytes : null
}

/** RFC 8785, for the little that a signed statement holds. @param {unknown} value @returns {string} */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`
}

// Breaks

/** @param {Check} check @param {string} code @param {string} why @param {Place} [place] */
function report(check, code, why, place = {}) {
  if (check.found.length === MOST_BREAKS) check.more += 1
  else check.found.push({ at: { stream: check.header?.stream ?? '', ...place, code }, why })
}

/** One line is malformed once, whatever else is wrong with it. @param {Check} check @param {string} why @param {Place} [place] */
function malformed(check, why, place) {
  if (check.malformedLine === check.line) return
  check.malformedLine = check.line
  report(check, 'file_malformed', `line ${check.line}: ${why}`, place)
}

// Events

/** @param {Check} check @param {Line} line */
function takeEvent(check, line) {
  check.due.events -= 1
  check.events += 1
  const event = readEvent(line.bytes)
  const name = digestOf(line.bytes ?? '')
  const sequence = event && isHere(check, event) ? takePlaced(check, event, name) : takeUnplaced(check, line, event)
  keepSealedName(check, [sequence, event?.seq], name)
  if (event && speaksOfObjects(check)) addReferences(check, event.payload)
  if (check.due.events === 0) checkLink(check, check.expected[0], check.header?.head)
}

/**
 * When sequences are broken, several may claim the place; the right one wins.
 * @param {Check} check @param {unknown[]} places @param {string} name
 */
function keepSealedName(check, places, name) {
  for (const place of new Set(places))
    for (const head of check.heads.get(Number(place)) ?? [])
      if (check.sealedNames.get(head) !== head.headHash) check.sealedNames.set(head, name)
}

/** Of streams beside a run only the events are in its file. @param {Check} check */
const speaksOfObjects = ({ running }) => running === null || running.run.streams[running.read - 1]?.objects === true

/** @param {Check} check @param {Event} event */
const isHere = (check, event) => event.tenant === check.header?.tenant && event.stream === check.header.stream

/**
 * Either it took the place of an event, or it was put before one: both may follow.
 * @param {Check} check @param {Line} line @param {Event | null} event
 */
function takeUnplaced(check, line, event) {
  const [instead] = /** @type {[Expected]} */ (check.expected)
  const place = { sequence: instead.seq }
  if (line.bytes === null) malformed(check, 'it is too long', place)
  else if (event) report(check, 'event_misplaced', 'it belongs to another tenant or stream', place)
  else report(check, 'event_unreadable', 'its bytes are not those of a written event', place)
  check.expected = [{ seq: instead.seq + 1 }, instead]
  return instead.seq
}

/** @param {Check} check @param {Event} event @param {string} name */
function takePlaced(check, event, name) {
  const met = check.expected.find(expected => expected.seq === event.seq)
  if (met) {
    checkLink(check, met, event.prev)
    check.expected = [{ seq: event.seq + 1, prev: name }]
    return event.seq
  }
  const [{ seq }] = /** @type {[Expected]} */ (check.expected)
  report(check, 'sequence_broken', `the event here says it is ${event.seq}`, { sequence: seq })
  check.expected = [{ seq: seq + 1 }, { seq: event.seq + 1, prev: name }]
  return seq
}

/** @param {Check} check @param {Expected | undefined} expected @param {string | null | undefined} named */
function checkLink(check, expected, named) {
  if (expected?.prev === undefined || expected.prev === named) return
  const sequence = Math.max(0, expected.seq - 1)
  if (check.brokenLink === sequence) return
  check.brokenLink = sequence
  report(check, 'chain_broken', 'it is not the event that what comes after it names', { sequence })
}

/** @param {Check} check @param {unknown} payload */
function addReferences(check, payload) {
  const left = [payload]
  while (left.length > 0) {
    const value = left.pop()
    if (isDigest(value)) claim(check, value)
    if (typeof value !== 'object' || value === null) continue
    for (const [key, inner] of Object.entries(value)) if (!/Hash(es)?$/.test(key)) left.push(inner)
  }
}

// Checkpoints

/**
 * Read ahead of the events, so that only the names of those they are about have to be kept.
 * @param {string} path @param {Header} header @param {Map<string, KeyObject>} keys @returns {Promise<Checkpoint[]>}
 */
async function readCheckpoints(path, header, keys) {
  /** @type {Checkpoint[]} */
  const found = []
  for await (const line of linesFrom(path, 1 + header.events, header.checkpoints)) found.push(readCheckpoint(line, header, keys))
  return found
}

/** @param {Line} line @param {Header} header @param {Map<string, KeyObject>} keys @returns {Checkpoint} */
function readCheckpoint(line, header, keys) {
  const event = readEvent(line.bytes)
  const seal = readSeal(event?.payload)
  if (!event || !seal || event.tenant !== header.tenant) return { standing: 'forged' }
  if (event.stream !== 'checkpoints' || event.type !== 'checkpoint.signed') return { standing: 'forged' }
  const [head, second] = seal.heads.filter(one => one.stream === header.stream)
  if (!head || second) return { standing: 'forged' }
  return { standing: judgeSignature(event, seal, keys), head, key: seal.key }
}

/** @param {Event} event @param {Seal} seal @param {Map<string, KeyObject>} keys @returns {Standing} */
function judgeSignature(event, seal, keys) {
  const signature = decode(seal.signature, 'base64url')
  if (signature?.length !== 64) return 'forged'
  if (keys.size === 0) return 'unchecked'
  const key = keys.get(seal.key)
  if (!key) return 'key_unknown'
  const statement = { tenant: event.tenant, seq: event.seq, previousHash: event.prev, heads: seal.heads }
  return verify(null, Buffer.from(canonical(statement)), key, signature) ? 'signed' : 'forged'
}

/** @param {Check} check */
function takeCheckpoint(check) {
  const { standing, head, key } = check.checkpoints[check.taken++] ?? { standing: 'forged' }
  check.due.checkpoints -= 1
  if (standing === 'key_unknown') report(check, 'checkpoint_key_unknown', `it was signed with ${key}, which is not among the public keys`)
  if (standing === 'forged' || !head) return report(check, 'checkpoint_forged', 'not a checkpoint of this stream, or not signed by its key')
  const place = { sequence: head.seq }
  const name = check.sealedNames.get(head)
  if (name === undefined) return report(check, 'checkpoint_ahead', 'the checkpoint names an event that is not in the file', place)
  if (name !== head.headHash) return report(check, 'checkpoint_differs', 'the checkpoint gives it another name', place)
  if (standing === 'signed') check.sealed = Math.max(check.sealed, head.seq + 1)
}

// Anchors: checkpoints that were kept elsewhere

/**
 * @param {string} text @param {Map<string, number>} events of each stream in the file @param {Map<string, KeyObject>} keys
 * @returns {RunCheckpoint[]}
 */
function readAnchors(text, events, keys) {
  const lines = text.split('\n').filter(line => line !== '')
  if (lines.length === 0) throw new Error('The anchor file is empty.')
  return lines.map(line => readRunCheckpoint({ bytes: Buffer.from(line), ended: true }, events, keys))
}

/** @param {Check} check */
function compareAnchors(check) {
  for (const { standing, heads, key } of check.anchors) {
    if (standing === 'key_unknown')
      report(check, 'checkpoint_key_unknown', `the anchor was signed with ${key}, which is not among the public keys`)
    if (standing === 'forged') report(check, 'anchor_forged', 'the anchor is not a checkpoint, or not signed by its key')
    for (const head of standing === 'signed' ? heads : []) {
      const place = { stream: head.stream, sequence: head.seq }
      const name = check.sealedNames.get(head)
      if (name === undefined) report(check, 'anchor_ahead', 'the anchor names an event that is not in the file', place)
      else if (name !== head.headHash) report(check, 'anchor_differs', 'the anchor gives it another name: the stream was rewritten', place)
    }
  }
}

// A run

/**
 * The checkpoints of a run speak of several streams each, and of more than is in the file.
 * @param {string} path @param {Run} run @param {Map<string, KeyObject>} keys @returns {Promise<RunCheckpoint[]>}
 */
async function readRunCheckpoints(path, run, keys) {
  const first = 1 + run.streams.reduce((sum, { events }) => sum + events, 0)
  const events = eventsIn(run)
  /** @type {RunCheckpoint[]} */
  const found = []
  for await (const line of linesFrom(path, first, run.checkpoints)) found.push(readRunCheckpoint(line, events, keys))
  return found
}

/** @param {Run} run */
const eventsIn = run => new Map(run.streams.map(part => [nameOf(part), part.events]))

/** @param {Line} line @param {Map<string, number>} events of each stream @param {Map<string, KeyObject>} keys @returns {RunCheckpoint} */
function readRunCheckpoint(line, events, keys) {
  const event = readEvent(line.bytes)
  const seal = readSeal(event?.payload)
  if (!event || !seal || event.stream !== 'checkpoints' || event.type !== 'checkpoint.signed')
    return { standing: 'forged', tenant: '', heads: [] }
  const { tenant } = event
  // One that speaks of a stream twice was never written, and would have to be asked about it again and again.
  if (new Set(seal.heads.map(({ stream }) => stream)).size < seal.heads.length) return { standing: 'forged', tenant, heads: [] }
  const isIn = (/** @type {Head} */ { stream, seq }) => seq < (events.get(nameOf({ tenant, stream })) ?? 0)
  return { standing: judgeSignature(event, seal, keys), tenant, heads: seal.heads.filter(isIn), key: seal.key }
}

/** @param {Check} check @param {Running} running */
function startPart(check, running) {
  const part = running.run.streams[running.read]
  if (!part) return leaveParts(check, running)
  running.read += 1
  check.header = part
  check.due.events = part.events
  check.expected = [{ seq: 0, prev: null }]
  check.brokenLink = -1
  check.heads = running.heads.get(nameOf(part)) ?? new Map()
}

/** @param {RunCheckpoint[]} checkpoints */
function headsIn(checkpoints) {
  /** @type {Running['heads']} */
  const found = new Map()
  for (const { tenant, heads } of checkpoints)
    for (const head of heads) {
      const name = nameOf({ tenant, stream: head.stream })
      const ofStream = found.get(name) ?? new Map()
      found.set(name, ofStream.set(head.seq, [...(ofStream.get(head.seq) ?? []), head]))
    }
  return found
}

/** What is broken from here on belongs to no stream. @param {Check} check @param {Running} running */
function leaveParts(check, { run }) {
  check.header = { tenant: run.tenant, stream: '', events: 0, head: null }
  check.due = { events: 0, checkpoints: run.checkpoints }
  check.heads = new Map()
}

/** @param {Check} check @param {Running} running */
function skipParts(check, running) {
  running.read = running.run.streams.length
  leaveParts(check, running)
}

/** @param {Check} check @param {Running} running */
function takeRunCheckpoint(check, { run, checkpoints }) {
  const { standing, heads, key } = checkpoints[run.checkpoints - check.due.checkpoints] ?? { standing: 'forged', heads: [] }
  check.due.checkpoints -= 1
  if (standing === 'key_unknown') report(check, 'checkpoint_key_unknown', `it was signed with ${key}, which is not among the public keys`)
  if (standing === 'forged') report(check, 'checkpoint_forged', 'not a checkpoint, or not signed by its key')
  for (const head of heads)
    if (check.sealedNames.get(head) !== head.headHash)
      report(check, 'checkpoint_differs', 'a checkpoint gives it another name', { stream: head.stream, sequence: head.seq })
}

/** Of each stream as much as a checkpoint that holds speaks of. @param {Check} check @param {Running} running */
function sealedIn(check, { checkpoints }) {
  /** @type {Map<string, number>} */
  const sealed = new Map()
  for (const { standing, tenant, heads } of checkpoints)
    for (const head of standing === 'signed' ? heads : []) {
      const name = nameOf({ tenant, stream: head.stream })
      if (check.sealedNames.get(head) === head.headHash) sealed.set(name, Math.max(head.seq + 1, sealed.get(name) ?? 0))
    }
  return [...sealed.values()].reduce((sum, events) => sum + events, 0)
}

/** @param {Check} check @param {Line} line @param {Running} running */
function takeRunLine(check, line, running) {
  if (running.end !== 'due') running.end = 'passed'
  else if (check.due.events + check.due.checkpoints === 0 && isEnd(line, running.name)) {
    closeObject(check, false)
    running.end = 'met'
  } else takeLine(check, line)
  running.name = digestOf(Buffer.concat([Buffer.from(running.name), line.bytes ?? Buffer.alloc(0), Buffer.from('\n')]))
  if (check.due.events === 0 && running.read < running.run.streams.length) startPart(check, running)
  else if (check.due.events === 0 && check.header?.stream !== '') leaveParts(check, running)
}

/** @param {Line} line @param {string} name */
const isEnd = (line, name) => line.bytes?.toString('latin1') === JSON.stringify({ end: name })

// Objects

/** @param {Line} line */
const looksLikeObject = line => line.bytes?.subarray(0, 10).toString('latin1') === '{"digest":'

/** @param {Check} check @param {Line} line */
function takeObject(check, line) {
  const read = readJson(line.bytes)
  const object = readObject(read?.value)
  if (!object) return malformed(check, line.bytes ? 'it is not an object' : 'it is too long')
  if (!read?.exact) malformed(check, 'it is not written as it should be', { digest: object.digest })
  if (object.erased || check.open?.digest !== object.digest) startObject(check, object.digest)
  if (object.erased) return dropErased(check)
  addPiece(check, object.base64 ?? '')
  if (!object.more) closeObject(check, true)
}

/** @param {Check} check @param {string} digest */
function startObject(check, digest) {
  closeObject(check, false)
  if (digest <= check.lastDigest) malformed(check, 'objects stand in the order of their digests, each once', { digest })
  const isNamed = check.named.has(digest)
  const found = isNamed ? check.named : check.unclaimed
  check.open = { digest, judged: !found.get(digest), sound: true, hash: createHash('sha256'), size: 0, parts: [] }
  found.set(digest, true)
  check.objects += 1
  check.lastDigest = digest
}

/** @param {Check} check @param {string} digest */
function claim(check, digest) {
  if (check.named.has(digest)) return
  const sound = check.unclaimed.get(digest)
  check.unclaimed.delete(digest)
  check.named.set(digest, sound !== undefined)
  if (sound === false) reportCorrupt(check, digest)
}

/** @param {Check} check */
function dropErased(check) {
  check.erased += 1
  check.open = null
}

/** @param {Check} check @param {string} base64 */
function addPiece(check, base64) {
  const bytes = decode(base64, 'base64')
  const { open } = check
  if (!open) return
  if (bytes) open.hash.update(bytes)
  else open.sound = false
  open.size += bytes?.length ?? 0
  if (open.size > MOST_NODE_BYTES) open.parts = []
  else if (bytes) open.parts.push(bytes)
}

/** @param {Check} check @param {boolean} whole */
function closeObject(check, whole) {
  const { open } = check
  check.open = null
  if (!open?.judged) return
  const sound = whole && open.sound && `sha256:${open.hash.digest('hex')}` === open.digest
  if (check.unclaimed.has(open.digest)) check.unclaimed.set(open.digest, sound)
  else if (!sound) reportCorrupt(check, open.digest)
  if (sound) addReferences(check, readNode(Buffer.concat(open.parts)))
}

/** @param {Check} check @param {string} digest */
function reportCorrupt(check, digest) {
  report(check, 'object_corrupt', 'its bytes have another name, or are not whole', { digest })
}

/** Null for what is no node. @param {Buffer} bytes */
function readNode(bytes) {
  if (!bytes.subarray(0, NODE_MARK.length).equals(NODE_MARK)) return null
  const node = readJson(bytes)?.value
  return isDeeperThan(node, MOST_DEPTH) ? null : node
}

/** @param {unknown} value @param {number} most @returns {boolean} */
function isDeeperThan(value, most) {
  if (typeof value !== 'object' || value === null) return false
  return most === 0 || Object.values(value).some(inner => isDeeperThan(inner, most - 1))
}

// The file

/** @returns {Check} */
function newCheck() {
  return {
    ...{ header: null, running: null, checkpoints: [], taken: 0, anchors: [], line: 0, ended: false, malformedLine: -1, brokenLink: -1 },
    ...{ due: { events: 0, checkpoints: 0 }, expected: [{ seq: 0, prev: null }], heads: new Map(), sealedNames: new Map(), sealed: 0 },
    ...{ named: new Map(), unclaimed: new Map(), open: null, lastDigest: '', events: 0, objects: 0, erased: 0, found: [], more: 0 },
  }
}

/** @param {string} path @param {Map<string, KeyObject>} keys @param {string} [anchors] the text of an anchor file */
async function inspect(path, keys, anchors) {
  const check = newCheck()
  for await (const line of readLines(path)) {
    check.line += 1
    check.ended = line.ended
    if (check.running) takeRunLine(check, line, check.running)
    else if (check.header) takeLine(check, line)
    else if (!(await takeFirst(check, line, path, keys, anchors))) break // nothing that follows can be judged
  }
  if (check.header) finish(check)
  else malformed(check, check.line === 0 ? 'the file is empty' : 'it is not the header of a stream file, nor of a run file')
  return check
}

/** @param {Check} check @param {Line} line @param {string} path @param {Map<string, KeyObject>} keys @param {string} [anchors] */
async function takeFirst(check, line, path, keys, anchors) {
  const header = readHeader(line)
  const run = header ? null : readRun(line)
  // A stream in a run file may be the beginning of a longer one; a stream file has all of it.
  const events = run ? eventsIn(run) : new Map(header ? [[nameOf(header), Number.POSITIVE_INFINITY]] : [])
  if (anchors !== undefined) check.anchors = readAnchors(anchors, events, keys)
  if (header) await takeHeader(check, header, path, keys)
  if (!run) return header !== null
  const checkpoints = await readRunCheckpoints(path, run, keys)
  check.running = {
    run,
    read: 0,
    checkpoints,
    heads: headsIn([...checkpoints, ...check.anchors]),
    name: digestOf(Buffer.concat([line.bytes ?? Buffer.alloc(0), Buffer.from('\n')])),
    end: 'due',
  }
  startPart(check, check.running)
  return true
}

/** @param {Check} check @param {Header} header @param {string} path @param {Map<string, KeyObject>} keys */
async function takeHeader(check, header, path, keys) {
  check.header = header
  check.due = { events: header.events, checkpoints: header.checkpoints }
  check.checkpoints = await readCheckpoints(path, header, keys)
  const { tenant } = header
  const named = check.checkpoints.map(({ standing, head }) => ({ standing, tenant, heads: head ? [head] : [] }))
  check.heads = headsIn([...named, ...check.anchors]).get(nameOf(header)) ?? new Map()
}

/** @param {Check} check @param {Line} line */
function takeLine(check, line) {
  const { due } = check
  if (due.events + due.checkpoints > 0 && looksLikeObject(line)) {
    malformed(check, 'there are fewer events or checkpoints than the header says')
    if (check.running) skipParts(check, check.running)
    check.due = { events: 0, checkpoints: 0 }
    takeObject(check, line)
  } else if (due.events > 0) takeEvent(check, line)
  else if (due.checkpoints > 0 && check.running) takeRunCheckpoint(check, check.running)
  else if (due.checkpoints > 0) takeCheckpoint(check)
  else takeObject(check, line)
}

/** @param {Check} check */
function finish(check) {
  closeObject(check, false)
  compareAnchors(check)
  if (!check.ended || check.due.events + check.due.checkpoints > 0) malformed(check, 'the file ends too early')
  if (check.running?.end === 'due') malformed(check, 'its last line does not name all lines before it')
  if (check.running?.end === 'passed') malformed(check, 'the file goes on after its end')
  for (const digest of check.unclaimed.keys()) report(check, 'object_unknown', 'no event and no node speaks of it', { digest })
  for (const [digest, present] of check.named) if (!present) report(check, 'object_missing', 'an event or a node speaks of it', { digest })
}

/** @param {Check} check @returns {Report} */
function summarize(check) {
  const { running, events, objects, erased } = check
  const unsealed = Math.max(0, events - (running ? sealedIn(check, running) : check.sealed))
  const breaks = check.found.map(found => found.at)
  const more = check.more > 0 ? { moreBreaks: check.more } : {}
  return {
    intact: breaks.length === 0,
    unsealed,
    streams: running ? running.run.streams.length : 1,
    events,
    objects,
    erased,
    breaks,
    ...more,
  }
}

/** @param {string} text the text of a public key file */
function readKeys(text) {
  /** @type {Map<string, KeyObject>} */
  const keys = new Map()
  for (const [pem] of text.matchAll(PEM)) {
    const key = readKey(pem)
    if (key?.asymmetricKeyType !== 'ed25519') continue
    const der = key.export({ type: 'spki', format: 'der' })
    keys.set(`sign-${createHash('sha256').update(der).digest('hex').slice(0, 16)}`, key)
  }
  if (keys.size === 0) throw new Error('there is no Ed25519 public key in it')
  return keys
}

/** @param {string} pem */
function readKey(pem) {
  try {
    return createPublicKey(pem)
  } catch {
    return null
  }
}

/**
 * Throws only when the file cannot be read, or when there is no key in `publicKeys`.
 * @param {string} path
 * @param {{ publicKeys?: string, anchors?: string }} [options] the text of a public key file, and of an anchor file
 * @returns {Promise<Report>}
 */
export async function verifyFile(path, options = {}) {
  return summarize(await inspect(path, options.publicKeys === undefined ? new Map() : readKeys(options.publicKeys), options.anchors))
}

// The command

/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** @param {Check} check @param {Report} result */
function describe(check, result) {
  const { header } = check
  const checked = ['the bytes, place and chain of every event', 'the bytes of every object']
  const all = check.running?.checkpoints ?? check.checkpoints
  const keys = new Set(all.flatMap(({ standing, key }) => (standing === 'signed' ? [key] : [])))
  if (check.anchors.length > 0) checked.push('what the anchor says about it')
  if (keys.size > 0) checked.push(`the signatures of checkpoints, by ${[...keys].join(', ')}`)
  return [
    `${subjectOf(check)}: ${counted(result.events, 'event')}, ${counted(result.objects, 'object')}.`,
    ...(header ? [`Checked: ${checked.join('; ')}.`] : []),
    ...(result.erased > 0 ? [`Erased: ${counted(result.erased, 'object')}. Only the stream "audit" can prove it.`] : []),
    ...(result.unsealed > 0 ? [`Unsealed: ${counted(result.unsealed, 'event')}, because ${whyUnsealed(check)}.`] : []),
    ...check.found.map(describeBreak),
    ...(check.more > 0 ? [`and ${counted(check.more, 'more break')}`] : []),
    result.intact ? 'intact' : 'BROKEN',
  ]
}

/** @param {Check} check */
function subjectOf({ header, running }) {
  if (running)
    return `Run ${running.run.run} of tenant ${JSON.stringify(running.run.tenant)}, ${counted(running.run.streams.length, 'stream')}`
  return header
    ? `Stream ${JSON.stringify(header.stream)} of tenant ${JSON.stringify(header.tenant)}`
    : 'Neither a stream file nor a run file'
}

/** @param {Check} check */
function whyUnsealed(check) {
  if (check.running) return 'no checkpoint in the file that these keys check speaks of them'
  if (check.sealed > 0) return `the last checkpoint covers event ${check.sealed - 1} and what is before it`
  if (check.checkpoints.length === 0) return 'there is no checkpoint in the file'
  if (check.checkpoints.some(({ standing }) => standing === 'unchecked')) return 'no public key was given'
  return 'no checkpoint holds'
}

/** @param {Found} found */
function describeBreak({ at, why }) {
  const event = at.sequence === undefined ? '' : ` event ${at.sequence}`
  const object = at.digest === undefined ? '' : ` ${at.digest}`
  return `${at.code}${event}${object}: ${why}`
}

/** @param {string} message */
function refuse(message) {
  process.stderr.write(`${message}\n`)
  return 2
}

/** @param {unknown} error */
const messageOf = error => (error instanceof Error ? error.message : String(error))

function readCommand() {
  const options = /** @type {const} */ ({
    'public-key': { type: 'string' },
    anchor: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  })
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [file, ...rest] = positionals
  if (!values.help && (file === undefined || rest.length > 0)) throw new Error('Name one file.')
  if (values.anchor !== undefined && values['public-key'] === undefined) throw new Error('--anchor needs --public-key.')
  return {
    file: file ?? '',
    keyFile: values['public-key'],
    anchorFile: values.anchor,
    json: values.json === true,
    help: values.help === true,
  }
}

/** @param {string | undefined} path @returns {Map<string, KeyObject>} */
function loadKeys(path) {
  try {
    return path === undefined ? new Map() : readKeys(readFileSync(path, 'latin1'))
  } catch (error) {
    throw new Error(`Cannot use the public key file ${path}: ${messageOf(error)}`)
  }
}

/** @param {ReturnType<typeof readCommand>} command */
async function run(command) {
  const keys = loadKeys(command.keyFile)
  const anchors = command.anchorFile === undefined ? undefined : readFileSync(command.anchorFile, 'utf8')
  const check = await inspect(command.file, keys, anchors).catch(error => {
    throw new Error(`Cannot read ${command.file}: ${messageOf(error)}`)
  })
  const result = summarize(check)
  process.stdout.write(`${command.json ? JSON.stringify(result) : describe(check, result).join('\n')}\n`)
  return result.intact ? 0 : 1
}

async function main() {
  let command
  try {
    command = readCommand()
  } catch (error) {
    return refuse(`${messageOf(error)}\n\n${USAGE}`)
  }
  if (!command.help) return run(command).catch(error => refuse(messageOf(error)))
  process.stdout.write(USAGE)
  return 0
}

function isCommand() {
  try {
    return import.meta.url === pathToFileURL(realpathSync(process.argv[1] ?? '')).href
  } catch {
    return false
  }
}

if (isCommand()) process.exitCode = await main()
