// The history of a node that works in no lasting session: its run keeps it from visit to visit, and stores every piece that an event closes.
import { expect, it } from 'vitest'
import { created, starting } from '../../testing/arbitraries/any-graph.ts'
import { workflowOf } from '../../testing/stories/test-runs.ts'
import { named, settleStep, startStep } from '../../testing/stories/turn-story.ts'
import { appendMessage, emptyHistory, historyHead, PIECE, readHistory } from '../session/history.ts'
import type { TurnCommand } from '../turn/commands.ts'
import { decideRun, type RunCommand } from './decide.ts'
import { emitRun, type RunDraft } from './draft.ts'
import { nodeOf } from './state.ts'

const workflow = workflowOf({ id: 'w', objective: 'x', nodes: [{ id: 'a' }], edges: [] })

function must(draft: RunDraft, command: RunCommand): RunDraft {
  const ruling = decideRun(draft, workflow, command)
  if (!('events' in ruling)) throw new Error(`${command.type}: ${ruling.code}: ${ruling.message}`)
  return ruling
}
const keyedMutex = (draft: RunDraft, command: TurnCommand): RunDraft => must(draft, { type: 'turn', nodeId: 'a', command })

/** All messages of the node, read from the stored objects of the draft. */
function read({ state, objects }: RunDraft): readonly string[] | null {
  const { turn, history } = nodeOf(state, 'a')
  const { stored, ...head } = historyHead(turn?.history ?? history)
  const texts = new Map([...objects, ...(stored === null ? [] : [stored])].map(({ digest, text }) => [digest, text]))
  return readHistory(head, digest => texts.get(digest) ?? null)
}

/** A node whose history has so many messages, as its next visit begins. */
function begun(count: number): RunDraft {
  const said = Array.from({ length: count }, (_, n) => named(`before ${n}`))
  const history = said.reduce(appendMessage, emptyHistory)
  return must(created(workflow), { ...starting('a'), history })
}

it('that is closed by the reply that ends the visit can be read in the next visit', () => {
  const started = keyedMutex(begun(PIECE - 2), startStep(1))
  const ended = keyedMutex(started, settleStep(1))
  expect(nodeOf(ended.state, 'a')).toMatchObject({ status: 'completed', turn: null, history: { open: [], count: PIECE } })
  expect(read(ended)).toHaveLength(PIECE)
})

it('that is closed by the reply of a visit which fails for its form can be read as well', () => {
  const settled = settleStep(1)
  const misfit = { detail: 'it is a poem', onMisfit: 'fail' } as const
  const ended = keyedMutex(keyedMutex(begun(PIECE - 2), startStep(1)), { ...settled, read: { ...settled.read!, misfit } })
  expect(nodeOf(ended.state, 'a').status).toBe('failed')
  expect(read(ended)).toHaveLength(PIECE)
})

it('that is closed by a message which the start of the node takes can be read by its first step', () => {
  const left = { kind: 'follow-up', id: 'f1', message: named('More.') } as const
  const received = keyedMutex(begun(PIECE - 1), { type: 'leaveMessage', message: left })
  const taken = emitRun(received, { type: 'message.taken', nodeId: 'a', id: 'f1' })
  expect(read(taken)).toHaveLength(PIECE)
})
