// Tests the exact request of one agent from outside: the command line, a folder, and a provider that records every request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type LoopbackProvider, loopbackProvider } from '../../testing/models/loopback-provider.ts'

const SYSTEM = 'You help customers of the shop.'
const QUESTION = 'Where is my order?'
const FILES = {
  'agents/support.yaml': `agentId: local.shop.support\nsystemPrompt: ${SYSTEM}\ntemperature: 0.2\ntopP: 0.9\nseed: 7\nproviderOptions: { user: u1 }\n`,
  'workflows/support.yaml': 'id: support\nnodes: [{ id: support, agent: local.shop.support }]\n',
  'workflows/graph.yaml': 'id: graph\ncompose: graph\nnodes: [{ id: support, agent: local.shop.support }]\n',
}

let provider: LoopbackProvider
let folder: string
const env = () => ({ OPENAI_COMPATIBLE_BASE_URL: provider.url })
const cli = async (...args: readonly string[]) => {
  const { code, out, err } = await runCli(args, { cwd: folder, env: env() })
  return { code, err, json: out.startsWith('{') || out.startsWith('[') ? JSON.parse(out) : null, out }
}
const go = async (workflow: string): Promise<string> => {
  const model = ['--provider', 'openai-compatible', '--model', 'm']
  const { json, err } = await cli('run', workflow, '--input', JSON.stringify({ question: QUESTION }), ...model, '--json')
  expect(json, err).toMatchObject({ status: 'completed' })
  return json.runId
}

beforeAll(async () => {
  provider = await loopbackProvider(() => 'It is on its way.')
  folder = temporaryFolder(null, FILES)
})
afterAll(() => provider.close())

describe('a workflow of one agent', () => {
  let runId: string
  it('newcomer 4b.4: sends the prompt and the question, and nothing else', async () => {
    runId = await go('workflows/support.yaml')
    const { messages } = provider.requests.at(-1)!.body
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(JSON.stringify(messages[0]!.content)).toBe(JSON.stringify(SYSTEM))
    expect(JSON.stringify(messages[1]!.content)).toContain(JSON.stringify(QUESTION))
    expect(JSON.stringify(messages).length).toBeLessThan(200)
  })

  it('newcomer 4b.6: sends temperature, topP, seed and options of the provider, and has them on record', async () => {
    expect(provider.requests.at(-1)!.body).toMatchObject({ temperature: 0.2, top_p: 0.9, seed: 7, user: 'u1' })
    const { out } = await runCli(['events', `run/${runId}`, '--json'], { cwd: folder })
    expect(out).toMatch(/"parameters":\{[^}]*"temperature":0\.2,"topP":0\.9,"seed":7,"providerOptions":"sha256:/)
  })

  it('newcomer 4b.4: can be asked why, blamed and replayed', async () => {
    const why = await cli('why', runId, '--json')
    expect(why.json.find(({ kind }: { kind: string }) => kind === 'system')).toMatchObject({ nodeId: 'support' })
    const { json: blame } = await cli('blame', runId, '--json')
    const spans = blame[0].spans.map(({ text, source }: { text: string; source: object | null }) => [text, source])
    expect(spans).toEqual([
      [SYSTEM, null],
      ['\n\n', null],
      [QUESTION, { from: 'input', name: 'question' }],
    ])
    expect((await cli('replay', runId, '--json')).json).toMatchObject({ identical: true, divergences: [] })
  })

  it('newcomer 4b.4: shows how much of a prompt is ours: nothing, unless the workflow asks for it', async () => {
    const { json } = await cli('show', runId, '--node', 'support', '--json')
    expect(json.own).toEqual({ bytes: 0, estimatedTokens: 0, ofBytes: SYSTEM.length + 2 + QUESTION.length })
    const graph = await go('workflows/graph.yaml')
    const { out } = await cli('show', graph, '--node', 'support')
    expect(out).toMatch(/^Onbook's own text: [\d,]+ of [\d,]+ bytes, about [\d,]+ tokens \(an estimate: 4 bytes each\)$/m)
    const check = await cli('check', '--json')
    const shares = check.json.workflows.map(({ file, compose, own }: { file: string; compose: string; own: { bytes: number } }) => [
      file,
      compose,
      own.bytes > 1000,
    ])
    expect(shares.sort()).toEqual([
      ['workflows/graph.yaml', 'graph', true],
      ['workflows/support.yaml', 'verbatim', false],
    ])
  })
})

it('newcomer 4b.1: says which form an agentId has', async () => {
  const wrong = temporaryFolder(null, { 'agents/support.yaml': 'agentId: support\nsystemPrompt: You help.\n' })
  const { out } = await runCli(['check', '--json'], { cwd: wrong })
  const [{ message }] = JSON.parse(out).findings
  expect(message).toContain('"agentId" has the wrong form: "support". Write <scope>.<group>.<name>')
  expect(message).toContain('as in local.newsroom.writer')
})
