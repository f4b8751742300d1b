// Run files of every release, never edited: a file that no longer verifies, folds or replays means a broken reader.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyRunFile } from '../../cli/record/verify-run-file.ts'
import { type RunEvent, runEvent, runStream } from '../../core/run/events.ts'
import { reduceRun } from '../../core/run/reduce.ts'
import { emptyRun } from '../../core/run/state.ts'
import { replayRun } from '../../engine/replay/replay.ts'
import { whyRun } from '../../engine/why/why.ts'
import { readPublicKeys, signatureChecker } from '../keys/public-keys.ts'
import { type ExportedRun, exportedStore } from './exported-store.ts'

const FOLDER = 'fixtures/histories'
/** The folded state of each history. A state may gain fields; it may not lose any. */
const STATES: Readonly<Record<string, object>> = {
  'newsroom.v0.1': {
    phase: 'completed',
    nodes: {
      drafting: { status: 'completed', visits: 1 },
      checking: { status: 'completed', visits: 1 },
      editing: { status: 'completed', visits: 1 },
      proofing: { status: 'completed', visits: 1 },
    },
    approvals: [],
  },
  'workshop.v0.1': {
    phase: 'completed',
    nodes: {
      lead: { status: 'completed', visits: 1 },
      'measurer-1': { status: 'completed', visits: 2 },
      writer: { status: 'completed', visits: 2 },
      critic: { status: 'completed', visits: 2 },
      clerk: { status: 'completed', visits: 1 },
      joiner: { status: 'completed', visits: 1 },
    },
    approvals: [],
    awaited: [],
  },
}

it('has a line here for every run file', () => {
  const keys = readdirSync(FOLDER).filter(name => name.endsWith('.pem'))
  expect(keys.map(name => name.slice(0, -'.pem'.length))).toEqual(Object.keys(STATES))
})

describe.each(Object.entries(STATES))('%s', (name, state) => {
  const path = `${FOLDER}/${name}.jsonl`
  let run: ExportedRun
  const events: RunEvent[] = []
  beforeAll(async () => {
    run = await exportedStore(path)
    for await (const { event } of run.store.read(run.header.tenant, runStream(run.header.run), -1)) events.push(runEvent(event))
  })
  afterAll(() => run.store.close())

  it('is what was written and signed', async () => {
    const pem = `${FOLDER}/${name}.pem`
    const check = signatureChecker(readPublicKeys(pem, readFileSync(pem, 'utf8')))
    const { breaks, unsealed, events } = await verifyRunFile(path, check, true)
    expect(breaks).toEqual([])
    expect(unsealed).toBeLessThan(events)
  })

  it('folds to the same state', () => {
    expect(events.reduce(reduceRun, emptyRun)).toMatchObject(state)
  })

  it('says why every node was told what it was told', async () => {
    const answers = await whyRun(run.store, run.header.tenant, run.header.run)
    expect(new Set(answers.map(({ nodeId }) => nodeId))).toEqual(new Set(Object.keys((state as { nodes: object }).nodes)))
    for (const { chain, active } of answers) expect([chain.length > 0, active.length > 0]).toEqual([true, true])
  })

  it('replays without a difference', async () => {
    const { identical, divergences, prompts } = await replayRun(run.store, run.header.tenant, run.header.run)
    expect([identical, divergences, prompts > 0]).toEqual([true, [], true])
  })
})

it('has a tool that was called, refused, approved and denied, and a version that was applied at a step', async () => {
  const { store, header } = await exportedStore(`${FOLDER}/newsroom.v0.1.jsonl`)
  const seen: string[] = []
  const versions = new Set<number>()
  for await (const { event } of store.read(header.tenant, runStream(header.run), -1)) {
    const one = runEvent(event)
    if (one.type === 'call.judged') seen.push(`${one.nodeId} ${one.verdict.decision}`)
    if (one.type === 'approval.resolved') seen.push(`${one.nodeId} ${one.decision}`)
    if (one.type === 'step.started' && one.nodeId === 'editing') versions.add(one.snapshot?.version ?? 0)
  }
  await store.close()
  expect(seen).toEqual([
    'drafting refused',
    'checking allowed',
    'editing waiting',
    'editing approved',
    'editing allowed',
    'proofing waiting',
    'proofing denied',
    'proofing refused',
  ])
  expect([...versions]).toEqual([1, 2])
})

it('has calls, answers of people, a retry, a loop, a node that was added, handoffs, a slot, and a step that was sent in part', async () => {
  const { store, header } = await exportedStore(`${FOLDER}/workshop.v0.1.jsonl`)
  const events: RunEvent[] = []
  for await (const { event } of store.read(header.tenant, runStream(header.run), -1)) events.push(runEvent(event))
  const of = <T extends RunEvent['type']>(type: T) => events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type)
  const steps = of('step.started')
  expect(of('approval.resolved').map(({ nodeId, decision }) => `${nodeId} ${decision}`)).toEqual(['writer approved', 'writer denied'])
  expect(of('step.retried').map(({ nodeId }) => nodeId)).toEqual(['clerk'])
  expect(of('node.spawned').map(({ nodeId }) => nodeId)).toEqual(['measurer-1'])
  expect(of('handoff.sent').map(({ to }) => to)).toEqual(['measurer-1', 'measurer-1'])
  expect(steps.filter(({ nodeId }) => nodeId === 'writer').map(({ snapshot }) => snapshot?.version)).toEqual([1, 2, 2, 2])
  expect(steps.filter(({ nodeId }) => nodeId === 'joiner').map(({ prompt }) => prompt.sent.kind)).toEqual(['full', 'delta'])
  const [composed] = of('prompt.composed').filter(({ nodeId }) => nodeId === 'clerk')
  expect(new TextDecoder().decode(await store.object(header.tenant, composed!.body))).toContain('on the account [REDACTED:supplier]')
  await store.close()
})
