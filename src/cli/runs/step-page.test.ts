// Tests how an answer is shown: its text, its calls, and every line that was not run.
import { afterEach, expect, it } from 'vitest'
import { scriptedChat } from '../../adapters/chat/scripted-chat.ts'
import { loadReading } from '../../engine/runs/read-run.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { bodiesOf } from './bodies.ts'
import { promptPage, promptText } from './step-page.ts'
import { shownStep } from './story.ts'

let house: RunHouse
afterEach(() => house.close())

const RUN = '{"tool_call":{"id":"t1","name":"probe","args":{"n":1}}}'
const WRONG = '{"tool_call":{"id":"t2","name":"probe","params":{}}}'

async function pageOf(script: object, step = 1) {
  house = runHouse(() => '', { models: scriptedChat('script.yaml', JSON.stringify(script)) })
  await house.go({ id: 'one', objective: 'Go.', nodes: [{ id: 'n' }] })
  const { steps } = await loadReading(house.store, TENANT, 'r1')
  return promptPage(shownStep(steps[step - 1]!), bodiesOf({ object: digest => house.store.object(TENANT, digest) }))
}

it('tells lines that are calls as calls, and leaves the others where they stand', async () => {
  const page = await pageOf({ calls: 'lines', replies: [`I try.\n${RUN}\n${WRONG}`, 'Done.'] })
  expect(page).toMatchObject({
    calls: 'lines',
    answer: `I try.\n${WRONG}`,
    asked: [
      { tool: 'probe', arguments: { n: 1 }, problem: null },
      { tool: 'probe', problem: 'Line 3, use-args: Use "args", not "params"; the line was not run.' },
    ],
  })
  const lines = promptText(page, false).trimEnd().split('\n').slice(-4)
  expect(lines).toEqual([
    'I try.',
    WRONG,
    '   calls probe {"n":1}',
    expect.stringMatching(/^ {3}calls probe, and cannot: Line 3, use-args: /),
  ])
})

it('shows what went along with the blocks: who called what, and what came of it, clipped with a count', async () => {
  const toolCalls = [{ toolName: 'probe', arguments: { text: 'x'.repeat(1_000) } }]
  const page = await pageOf({ replies: [{ text: 'I try.', toolCalls }, 'Done.'] }, 2)
  expect(page.messages.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
    ['user', 'text'],
    ['assistant', 'text', 'tool_call'],
    ['tool', 'tool_result'],
  ])
  const lines = promptText(page, false).split('\n')
  const from = lines.indexOf('── also sent: the history, 3 messages')
  expect(lines.slice(from + 1, from + 6)).toEqual([
    '1. user: Go.',
    '2. assistant: I try.',
    expect.stringMatching(/^2\. assistant: calls probe \(\S+\) \{"text":"x{391}… \(611 characters more\)$/),
    expect.stringMatching(/^3\. tool: result of probe \(\S+\): \{"done":true\}$/),
    '',
  ])
  expect((await pageOf({ replies: ['Done.'] })).messages).toEqual([])
})

it('leaves all lines where they stand when tools are called natively', async () => {
  const toolCalls = [{ toolName: 'probe', arguments: {} }]
  const page = await pageOf({ replies: [{ text: RUN, toolCalls }, 'Done.'] })
  expect([page.answer, page.asked.map(({ tool }) => tool)]).toEqual([RUN, ['probe']])
})
