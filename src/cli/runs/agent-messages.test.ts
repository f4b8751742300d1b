// Tests command-line agents that write several messages in one turn: all of them are recorded, and the calls in each are made.
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const line = (id: string, path: string) => JSON.stringify({ tool_call: { id, name: 'read_file', args: { path } } })
const lines = (...events: readonly object[]) => events.map(event => `${JSON.stringify(event)}\n`).join('')
const FIRST = `I look at the notes.\n${line('t1', 'notes.txt')}\n\`\`\`\nan open fence`
const SECOND = `And at the list.\n${line('t2', 'list.txt')}`

const assistant = (id: string, ...content: readonly object[]) => ({ type: 'assistant', message: { id, content } })
const CLAUDE = (...texts: readonly string[]) =>
  lines(
    { type: 'system', subtype: 'init', session_id: 's1' },
    ...texts.flatMap((text, at) => [
      ...(at === 0 ? [] : [{ type: 'user', message: { content: [{ type: 'tool_result', content: 'ok' }] } }]),
      assistant(`m${at}`, { type: 'text', text }),
      assistant(`m${at}`, { type: 'tool_use', id: `u${at}`, name: 'Bash', input: {} }),
    ]),
    { type: 'result', subtype: 'success', is_error: false, result: `${texts.at(-1)}\n`, session_id: 's1' },
  )
const CODEX = (...texts: readonly string[]) =>
  lines(
    { type: 'thread.started', thread_id: 's1' },
    ...texts.flatMap((text, at) => [
      { type: 'item.completed', item: { id: `i${at}`, type: 'agent_message', text } },
      { type: 'item.completed', item: { id: `c${at}`, type: 'command_execution', command: 'ls', exit_code: 0 } },
    ]),
    { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
  )

const fileOf = (protocol: string, write: typeof CLAUDE) => ({
  ...{ 'notes.txt': 'Tea at four.\n', 'list.txt': 'Milk.\n' },
  'turn-1': write(FIRST, SECOND),
  'turn-2': write('Nearly there.', '{"tea":"four"}'),
  'agent.sh': 'if grep -q "{.tool_result"; then cat turn-2; else cat turn-1; fi\n',
  'look.yaml': 'id: look\nobjective: Say when tea is.\nnodes: [{ id: reader }]\n',
  'onbook.host.yaml': `cliAgents:\n  agent: { command: [sh, agent.sh], protocol: ${protocol} }\ntools: { bind: [read_file] }\n`,
  'onbook.policy.yaml': 'offer: [read_file]\ngrants:\n  - tools: [read_file]\n',
})

describe.each([
  ['stream-json', CLAUDE],
  ['jsonl', CODEX],
])('packs D1: a turn of several messages in %s', (protocol, write) => {
  let folder: string
  let outputs: unknown
  let runId: string
  beforeAll(async () => {
    folder = temporaryFolder(null, fileOf(protocol, write))
    const run = await runCli(['run', 'look.yaml', '--provider', 'agent', '--model', 'default', '--repo', '.', '--json'], { cwd: folder })
    expect(run.code, run.err).toBe(0)
    ;({ runId, outputs } = JSON.parse(run.out))
  })
  const show = async (step: number) => {
    const { out } = await runCli(['show', runId, '--node', 'reader', '--step', String(step), '--json'], { cwd: folder })
    return JSON.parse(out) as { answer: string; asked: { tool: string; arguments: unknown; problem: string | null }[] }
  }

  it('packs D1: calls in every message are made, once each, and an open fence ends with its message', async () => {
    const { answer, asked } = await show(1)
    expect(asked).toEqual([
      { tool: 'read_file', arguments: { path: 'notes.txt' }, problem: null },
      { tool: 'read_file', arguments: { path: 'list.txt' }, problem: null },
    ])
    expect(answer).toBe('I look at the notes.\n```\nan open fence\n\nAnd at the list.')
  })

  it('packs D1: the reply on record has every message, and the last one is the output of the node', async () => {
    expect((await show(2)).answer).toBe('Nearly there.\n\n{"tea":"four"}')
    expect(outputs).toEqual({ reader: { tea: 'four' } })
  })
})
