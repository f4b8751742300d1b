// Logs as version 0.1 wrote them. They are never edited: a log that no longer folds to the same state means a broken reader.
// `ONBOOK_HISTORIES=write npx vitest run src/core/session/histories.test.ts` records those that are missing.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { recordedLines, SESSION_HISTORIES } from '../../testing/stories/session-histories.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import { emptyHead, type RecordedEvent, readEvent } from '../record/event.ts'
import { fromRecorded, type SessionEvent } from './events.ts'
import { foldSession } from './reduce.ts'
import type { SessionState } from './state.ts'

const FOLDER = 'fixtures/histories'
const VERSION = JSON.parse(readFileSync('package.json', 'utf8')).version.split('.').slice(0, 2).join('.') as string
if (process.env.ONBOOK_HISTORIES === 'write')
  for (const [name, story] of Object.entries(SESSION_HISTORIES)) {
    const path = `${FOLDER}/${name}.v${VERSION}.jsonl`
    if (!existsSync(path)) writeFileSync(path, recordedLines(story()))
  }

const FOLD = `
  import { readFileSync } from 'node:fs'
  import { canonicalJson, foldSession, sessionEventOf } from 'onbook/core'
  const events = readFileSync(process.argv[1], 'utf8').trim().split('\\n').map(line => sessionEventOf(JSON.parse(line)))
  process.stdout.write(canonicalJson(foldSession(events)))
`
const linesOf = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8').trim().split('\n')

/** Each tied to the one before; or the number of the first that is not. */
function readChain(lines: readonly string[]): readonly RecordedEvent[] | number {
  const events: RecordedEvent[] = []
  const { tenant, stream } = JSON.parse(lines[0]!) as RecordedEvent
  let head = emptyHead(tenant, stream)
  for (const line of lines) {
    const read = readEvent(head, new TextEncoder().encode(line))
    if (!read.ok) return events.length
    events.push(read.event)
    head = read.head
  }
  return events
}

function replay(name: string): { readonly events: readonly SessionEvent[]; readonly state: SessionState } {
  const chain = readChain(linesOf(name))
  if (typeof chain === 'number') throw new Error(`${name} breaks at ${chain}`)
  const events = chain.map(fromRecorded)
  return { events, state: foldSession(events) }
}

it('apply-during-run: the step took the version that was approved for it, one waits for the next run, and the newest is pending', () => {
  const { state, events } = replay('apply-during-run.v0.1.jsonl')
  const { active, approved, pending, applies, reaching } = state.workspace
  expect([active?.version, approved?.snapshot.version, pending?.snapshot.version]).toEqual([2, 3, 5])
  expect([applies, reaching]).toMatchObject([2, { snapshot: { version: 2 }, apply: 2 }])
  expect(state).toMatchObject({ runs: 1, syncs: 5, history: { count: 3 }, open: { run: 1, runId: 'run-1', nodeId: 'writer' } })
  expect(approved).toMatchObject({ at: 'run', firstRun: 2 })
  expect(events.at(-1)).toMatchObject({ type: 'session.refused', command: 'attachRun', code: 'run_already_active' })
})

it('direct-digests: messages that were left and handed over, a run that was refused, another config, and a run that ended early', () => {
  const { state, events } = replay('direct-digests.v0.1.jsonl')
  expect(state).toMatchObject({ runs: 3, open: null, refused: null, config: { model: 'large' }, history: { count: 7 } })
  expect(state.left).toMatchObject([{ kind: 'follow-up', id: 'f1' }])
  expect(events.flatMap(event => (event.type === 'messages.handedOver' ? [event.ids] : []))).toEqual([['s1', 's2']])
  expect(events.find(({ type }) => type === 'run.refused')).toMatchObject({ run: 2, stage: 'resolve', code: 'workspace_missing' })
  expect(events.at(-1)).toMatchObject({ type: 'workspace.refused', code: 'nothing_pending' })
})

/** Other streams have histories of their own. */
const SESSIONS = readdirSync(FOLDER).filter(name => /^\{"v":1,"tenant":"[^"]+","stream":"session\//.test(linesOf(name)[0]!))

describe.each(SESSIONS)('%s', name => {
  it('folds to the same bytes from any of its events on', () => {
    const { events, state } = replay(name)
    for (const at of events.keys()) {
      const checkpoint = JSON.parse(JSON.stringify(foldSession(events.slice(0, at)))) as SessionState
      expect(canonicalJson(foldSession(events.slice(at), checkpoint) as unknown as Json)).toBe(canonicalJson(state as unknown as Json))
    }
  })

  it('folds to the same bytes in another process, with what is published', () => {
    const { state } = replay(name)
    const folded = execFileSync(process.execPath, ['--input-type=module', '-e', FOLD, `${FOLDER}/${name}`], { encoding: 'utf8' })
    expect(folded).toBe(canonicalJson(state as unknown as Json))
  })

  it('cannot be edited unnoticed: the chain breaks right after the event that was', () => {
    const lines = linesOf(name)
    const edited = lines.with(7, lines[7]!.replace('"actor":"test"', '"actor":"tess"'))
    expect(readChain(edited)).toBe(8)
    expect(readChain(lines.toSpliced(7, 1))).toBe(7)
  })
})
