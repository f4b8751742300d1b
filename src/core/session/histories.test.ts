// Logs as version 0.1 wrote them. They are never edited: what no longer folds to the same state is a broken reader.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canonicalJson, digestJson, type Json } from '../digest/digest.ts'
import { emptyHead, type RecordedEvent, readEvent } from '../record/event.ts'
import { fromRecorded, type SessionEvent } from './events.ts'
import { foldSession } from './reduce.ts'
import { lifecycleOf, type SessionState } from './state.ts'

const FOLDER = 'fixtures/histories'
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

it('apply-during-run: the step took what was approved for it, the next run has its own, and the rest is pending', () => {
  const { state } = replay('apply-during-run.v0.1.jsonl')
  const { active, approved, pending } = state.workspace
  expect([active?.version, approved?.snapshot.version, pending?.snapshot.version]).toEqual([2, 3, 5])
  expect(state).toMatchObject({ runs: 1, syncs: 5, history: { count: 3 }, run: { steps: 2, phase: 'running', snapshot: { version: 2 } } })
  expect(state.workspace.approved).toMatchObject({ at: 'run', firstRun: 2 })
})

it('direct-digests: tools, a retry, a pause, a follow-up, and a second run that was cancelled', () => {
  const { state, events } = replay('direct-digests.v0.1.jsonl')
  expect(lifecycleOf(state)).toBe('cancelled')
  expect(state).toMatchObject({ runs: 2, epoch: 1, steers: [], followUps: [], history: { count: 10 }, config: { model: 'large' } })
  expect(state.attached).toEqual([{ runId: 'run-7', nodeId: 'critic', session: 'writer-critic-7' }])
  expect(events.at(-1)).toMatchObject({ type: 'workspace.refused', code: 'nothing_pending' })
})

/** Other streams have histories of their own. */
const SESSIONS = readdirSync(FOLDER).filter(name => /^\{"v":1,"tenant":"[^"]+","stream":"session\//.test(linesOf(name)[0]!))

describe.each(SESSIONS)('%s', name => {
  it('names every request by what is in it', () => {
    const { events } = replay(name)
    const steps = events.filter(event => event.type === 'step.started')
    expect(steps.length).toBeGreaterThan(0)
    for (const { request, requestHash } of steps) expect(digestJson(request as unknown as Json)).toBe(requestHash)
  })

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
