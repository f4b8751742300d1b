// @ts-check
// npm run bench -- sessions: publishing a large folder, sync and apply, steps with long histories, folding a session.

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeEvent, digestText, foldSession, sessionEventOf } from 'onbook/core'
import { folderTree } from '../../dist/adapters/folder/folder-tree.js'
import { statCache } from '../../dist/adapters/folder/folder-tree-cache.js'
import { runStream } from '../../dist/core/run/events.js'
import { sessionDraft, sessionStream } from '../../dist/core/session/events.js'
import { appendMessage, closedPieces, emptyHistory, historyHead } from '../../dist/core/session/history.js'
import { materializeStep } from '../../dist/core/turn/materialize.js'
import { loadSession } from '../../dist/engine/sessions/load.js'
import { commitChanges } from '../../dist/engine/workspaces/commit.js'
import { publishTree } from '../../dist/engine/workspaces/publish.js'
import { interleave, median, number, table, timePerCall } from './measuring/measure.mjs'
import { inFolder } from './record/story.mjs'
import { config, encode, inMemory, openStore, TENANT, workOn, writeFiles, writeOne, writer } from './sessions/story.mjs'

const FILES = 10_000
const CHANGED = 10
/** Messages before the step. */
const LENGTHS = [10, 1_000, 10_000]
/** A piece of a history; the cost of a step goes up and down within one, so all its fillings are measured. */
const PIECE = 32

const BENCHES = { publish: benchPublish, sync: benchSync, step: benchStep, fold: benchFold }
const [only] = process.argv.slice(2)
for (const [name, bench] of Object.entries(BENCHES)) if (only === undefined || only === name) await bench()

async function benchPublish() {
  const rows = [['', 'first, ms', `${CHANGED} changed, ms`, 'ratio', 'nothing changed, ms']]
  for (const kilobytes of [4, 16])
    await inFolder(async folder => {
      const desk = join(folder, 'desk')
      writeFiles(desk, FILES, kilobytes)
      await wait(50) // files as young as the publish itself are read again the next time, to be sure
      /** @type {Record<string, number[]>} */
      const taken = { first: [], again: [], same: [] }
      for (let round = 0; round < 5; round++)
        await inFolder(async data => {
          const store = openStore(data)
          taken.first?.push(await publishing(store, data, desk, FILES))
          for (let time = 0; time < 3; time++) {
            for (let n = 0; n < CHANGED; n++) writeOne(desk, n * 997, `changed ${round} ${time}`, kilobytes)
            await wait(50)
            taken.again?.push(await publishing(store, data, desk, CHANGED))
            taken.same?.push(await publishing(store, data, desk, 0))
          }
          await store.close()
        })
      const [first, again, same] = [taken.first, taken.again, taken.same].map(values => median(values ?? []))
      rows.push([
        `${kilobytes} kB`,
        number(first ?? 0, 0),
        number(again ?? 0, 0),
        number((first ?? 0) / (again ?? 1), 1),
        number(same ?? 0, 0),
      ])
    })
  table(`Publish ${number(FILES, 0)} files, then again with ${CHANGED} changed`, rows)
}

/** Milliseconds, from the folder to the version on disk. @param {import('onbook').Store} store @param {string} data @param {string} desk @param {number} differences */
async function publishing(store, data, desk, differences) {
  const started = performance.now()
  const cache = statCache(join(data, 'folders', 'desk.json'))
  const { changes } = await publishTree(store, writer, { workspace: 'desk', source: folderTree(desk, cache) })
  cache.save()
  const ms = performance.now() - started
  if (changes.length !== differences && changes.length !== FILES) throw new Error(`${changes.length} files were different`)
  return ms
}

async function benchSync() {
  const rounds = 200
  await inFolder(async folder => {
    const store = openStore(folder)
    const { work, close } = workOn(store)
    const place = { tenant: TENANT, session: 'sync', actor: 'bench' }
    await work.sessions.submit(place, { type: 'create', session: 'sync', config })
    const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: 'default' }
    /** @type {Record<string, number[]>} */
    const taken = { sync: [], apply: [] }
    for (let round = 0; round < rounds; round++) {
      await commitChanges(store, writer, { workspace: 'desk', changes: contentOf(round) })
      taken.sync?.push(
        await timed(async () => {
          await work.sessions.submit(place, { type: 'requestSync', selection })
          await work.sessions.quiet(TENANT, 'sync')
        }),
      )
      taken.apply?.push(await timed(() => work.sessions.submit(place, { type: 'requestApply', when: 'immediate_if_idle' })))
    }
    const { state } = await loadSession(store, TENANT, 'sync')
    if (state.workspace.active?.version !== rounds) throw new Error('not adopted')
    await close()
    await store.close()
    table(`Sync and apply, durable, ${rounds} times: a prelude of a template and a document, a catalog of a descriptor`, [
      ['', 'p50, ms'],
      ['sync', number(median(taken.sync ?? []))],
      ['apply', number(median(taken.apply ?? []))],
    ])
  })
}

/** @param {number} round */
function contentOf(round) {
  const files = {
    'prompts/packs/default.json': '{"id":"default","templates":["base.md"],"context":["context/docs/style.md"]}',
    'prompts/templates/base.md': `You are editor number ${round}.\n`,
    'context/docs/style.md': 'Short words.\n',
    'tools/catalogs/default.json': '{"tools":["look"]}',
    'tools/descriptors/look.json': '{"name":"look","description":"Looks something up.","parameters":{"type":"object"}}',
  }
  return Object.entries(files).map(([path, text]) => ({ path, write: encode(text) }))
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function benchStep() {
  /** @type {Record<string, () => number>} */
  const contenders = {}
  for (const length of LENGTHS) {
    const histories = historiesFrom(length)
    contenders[length] = () => {
      let at = 0
      return timePerCall(() => materializeStep({ config, snapshot: null, history: /** @type {any} */ (histories[at++ % PIECE]) }), 20_000)
    }
  }
  for (const run of Object.values(contenders)) run()
  const taken = await interleave(contenders, 7)
  const fewest = taken[LENGTHS[0] ?? 0] ?? 0
  const rows = [['messages', 'materialise, µs', 'ratio', 'events of a run, bytes', 'new pieces, bytes', 'whole run in memory, ms']]
  for (const length of LENGTHS) {
    const { eventBytes, pieceBytes, ms } = await runAfter(length)
    const took = taken[length] ?? 0
    rows.push([number(length, 0), number(took * 1000), number(took / fewest), number(eventBytes, 0), number(pieceBytes, 0), number(ms)])
  }
  table('A step after a history: what it costs, and what one run of one step adds to the record', rows)
}

/** @param {number} n */
function messageOf(n) {
  return JSON.stringify({ role: n % 2 === 0 ? 'user' : 'assistant', content: `message ${n}` })
}

/** The history of so many messages, and the next ones. @param {number} length */
function historiesFrom(length) {
  let history = emptyHistory
  const found = []
  for (let n = 0; n < length + PIECE; n++) {
    if (n >= length) found.push(history)
    history = appendMessage(history, digestText(messageOf(n)))
  }
  return found
}

/** The median of runs in a session that has so many messages already. @param {number} length */
async function runAfter(length) {
  const store = inMemory()
  const { work, close } = workOn(store)
  const session = `long-${length}`
  const place = { tenant: TENANT, session, actor: 'bench' }
  await work.sessions.submit(place, { type: 'create', session, config })
  await fill(store, session, length)
  /** @type {Record<string, number[]>} */
  const taken = { eventBytes: [], pieceBytes: [], ms: [] }
  for (let run = 0; run < PIECE; run++) {
    const text = `question ${run}`
    taken.ms?.push(
      await timed(async () => {
        await ask(work, session, `${session}-${run}`, text)
      }),
    )
    let [eventBytes, pieceBytes] = [0, 0]
    for await (const { event, bytes } of store.read(TENANT, runStream(`${session}-${run}`), -1)) {
      eventBytes += bytes.length
      if (event.type !== 'step.started') continue
      const { head } = /** @type {{ request: { history: { head: import('onbook/core').Digest } } }} */ (
        /** @type {unknown} */ (event.payload)
      ).request.history
      pieceBytes += (await store.object(TENANT, head)).length
    }
    taken.eventBytes?.push(eventBytes)
    taken.pieceBytes?.push(pieceBytes)
  }
  await close()
  const [eventBytes = 0, pieceBytes = 0, ms = 0] = [taken.eventBytes, taken.pieceBytes, taken.ms].map(values => median(values ?? []))
  return { eventBytes, pieceBytes, ms }
}

/** Until the run is over. @param {import('../../dist/engine/runs/work.js').RunWork} work @param {string} session @param {string} runId @param {string} text */
async function ask(work, session, runId, text) {
  const message = JSON.stringify({ content: [{ text, type: 'text' }], role: 'user' })
  const request = { session, input: digestText(message), overrides: null, interactive: false, objects: [encode(message)] }
  await work.ask({ tenant: TENANT, runId, actor: 'bench' }, request)
  await work.quiet(TENANT, runId)
}

/** Messages as runs leave them, without the runs. @param {import('onbook').Store} store @param {string} session @param {number} length */
async function fill(store, session, length) {
  let history = emptyHistory
  const objects = []
  const entries = []
  for (let n = 0; n < length; n++) {
    const message = digestText(messageOf(n))
    objects.push(encode(messageOf(n)))
    for (const { text } of closedPieces(history, [message])) objects.push(encode(text))
    history = appendMessage(history, message)
    entries.push(sessionDraft({ type: 'message.appended', message }, 'bench', null))
  }
  const { seq } = await store.head(TENANT, sessionStream(session))
  await store.commit({ tenant: TENANT, objects, appends: [{ stream: sessionStream(session), expected: seq, entries }] })
  const { state } = await loadSession(store, TENANT, session)
  if (historyHead(state.history).head !== historyHead(history).head) throw new Error('not the same history')
}

async function benchFold() {
  const store = inMemory()
  const { work, close } = workOn(store)
  const place = { tenant: TENANT, session: 'fold', actor: 'bench' }
  await work.sessions.submit(place, { type: 'create', session: 'fold', config })
  for (let run = 0; run < 500; run++) {
    const text = `question ${run}`
    await ask(work, 'fold', `fold-${run}`, text)
  }
  await close()
  /** @type {Uint8Array[]} */
  const all = []
  for await (const { bytes } of store.read(TENANT, sessionStream('fold'), -1)) all.push(bytes)
  const decoder = new TextDecoder()
  const parsed = (/** @type {Uint8Array} */ bytes) => JSON.parse(decoder.decode(bytes))
  const checked = (/** @type {Uint8Array} */ bytes) => /** @type {import('onbook/core').RecordedEvent} */ (decodeEvent(bytes))
  const {
    bare = 0,
    folded = 0,
    strict = 0,
  } = await interleave(
    {
      bare: () => timePerCall(() => all.map(parsed), 5),
      folded: () => timePerCall(() => foldSession(all.map(bytes => sessionEventOf(parsed(bytes)))), 5),
      strict: () => timePerCall(() => foldSession(all.map(bytes => sessionEventOf(checked(bytes)))), 5),
    },
    11,
  )
  const speed = (/** @type {number} */ ms) => number((all.length * 1000) / ms, 0)
  table(`Fold of ${number(all.length, 0)} events of a session`, [
    ['', 'events/s', 'ratio'],
    ['JSON.parse of each', speed(bare), ''],
    ['parsed and folded', speed(folded), number(bare / folded)],
    ['checked to the byte and folded', speed(strict), number(bare / strict)],
  ])
}
