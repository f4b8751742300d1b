// The unchanged part of requests from step to step: on real runs, compared with the bytes of real requests, and with deliberate breaks.
import { afterEach, describe, expect, it } from 'vitest'
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { observable, writeMessage } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Receipt, Usage } from '../../core/messages/receipt.ts'
import { emptyConfig } from '../../core/session/config.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import type { ChatModel } from '../../ports.ts'
import { template } from '../../testing/hosts/start-host.ts'
import type { Said } from '../../testing/models/talking-chat.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { testRuns, workflowOf } from '../../testing/stories/test-runs.ts'
import { type BlameAnswer, blameRun } from '../blame/blame.ts'
import { publishAgent } from '../definitions/agents.ts'
import { publishTemplates } from '../library/publish.ts'
import { commitChanges } from '../workspaces/commit.ts'
import { type PrefixAnswer, prefixOfRun } from './prefix.ts'

const WRITER = { tenant: TENANT, libraryId: 'onbook', actor: 'ada' }
const HOME = { tenant: TENANT, session: 'desk', actor: 'ada' }
const AGENT = 'local.desk.writer'

let house: RunHouse
let asked: ModelCall[]
afterEach(async () => {
  await house.close()
  await house.store.close()
})

/** Replies in turn; every call is kept as it was made. */
function open(say: (call: number) => Said | Promise<Said>): void {
  asked = []
  house = runHouse(async one => {
    asked.push((one as unknown as { readonly call: ModelCall }).call)
    return say(asked.length)
  })
}
const answer = async (nodeId = 'writer'): Promise<PrefixAnswer> => (await prefixOfRun(house.store, TENANT, 'r1', { nodeId }))[0]!

/** Counts again, from the request that the model really got. */
const textOf = ({ tools, messages }: ModelCall): string =>
  [...tools.map(tool => canonicalJson(tool as unknown as Json)), ...messages.map(message => writeMessage(observable(message)))].join('')
function shared(one: string, other: string): number {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  let at = 0
  while (at < first.length && first[at] === second[at]) at += 1
  return at
}

const LOOP = {
  id: 'one',
  objective: 'Write.',
  nodes: [
    {
      id: 'writer',
      systemPromptRef: 'prompt:noted@1.0.0',
      inputs: { review: { type: 'connection', nodeId: 'critic', outputKey: 'output', optional: true } },
    },
    { id: 'critic' },
  ],
  edges: [
    { from: 'writer', to: 'critic' },
    { from: 'critic', to: 'writer', repeats: 1 },
  ],
}
const noted = async (kind: 'system' | 'user') => {
  const variables = [{ name: 'review', type: 'string', required: false }] as const
  const text = `${'Keep to the facts. '.repeat(20)}Last review: {{review}}. ${'Write short sentences. '.repeat(20)}`
  await publishTemplates(house.store, WRITER, [{ ...template('noted'), kind, text, variables }], { mode: 'create', origin: 'user' })
}

describe('steps one after the other', () => {
  it('keep all that was sent before, when nothing in front of it changes', async () => {
    open(call => (call === 1 ? { tools: [{ toolName: 'probe', arguments: {} }] } : { text: 'Done.' }))
    await house.go({ id: 'one', nodes: [{ id: 'writer', objective: 'Write.' }] })
    const { steps, summary } = await answer()
    const [first, second] = asked.map(textOf) as [string, string]
    expect(steps.map(({ bytes }) => bytes)).toEqual([Buffer.byteLength(first), Buffer.byteLength(second)])
    expect(steps[1]).toMatchObject({ previous: Buffer.byteLength(first), kept: shared(first, second), broken: null, lost: { tokens: 0 } })
    expect(summary).toMatchObject({ compared: 1, share: 1, worst: null, hint: null })
  })

  it('a variable that changes early in the system message is named, with what it costs', async () => {
    open(call => ({ text: `Reply ${call}.` }))
    await noted('system')
    await house.go(LOOP)
    const { steps, summary } = await answer()
    const [first, , second] = asked.map(textOf) as [string, string, string]
    const [, again] = steps
    expect(again).toMatchObject({
      visit: 2,
      previous: Buffer.byteLength(first),
      kept: shared(first, second),
      broken: { part: 'system', block: 'role', template: 'prompt:noted@1.0.0', layer: 'node', variable: 'review' },
    })
    expect(again!.lost).toEqual({ tokens: Math.round((again!.previous! - again!.kept!) / 4), estimated: true })
    expect(summary.worst).toMatchObject({ variable: 'review', times: 1, bytes: again!.previous! - again!.kept! })
    expect(summary.hint).toContain('{{review}} of prompt:noted@1.0.0 is in the system message after ')
  })

  it('the same variable in a template of kind user breaks nothing', async () => {
    open(call => ({ text: `Reply ${call}.` }))
    await noted('user')
    const nodes = [{ ...LOOP.nodes[0], systemPromptRef: undefined, userPromptRef: 'prompt:noted@1.0.0' }, LOOP.nodes[1]]
    await house.go(JSON.parse(JSON.stringify({ ...LOOP, nodes })))
    const { summary } = await answer()
    expect(summary).toMatchObject({ compared: 1, share: 1, worst: null })
  })

  it('a prelude that was applied between two steps is named', async () => {
    open(async call => {
      if (call === 1) await adopt('Be bold.')
      return call === 1 ? { tools: [{ toolName: 'probe', arguments: {} }] } : { text: 'Done.' }
    })
    await publishAgent(house.store, WRITER, { agentId: AGENT, persona: 'Writer', session: 'desk' })
    const config = { ...emptyConfig, provider: 'scripted', model: 'small' }
    await house.runs.sessions.submit(HOME, { type: 'create', session: 'desk', agentId: AGENT, config })
    await adopt('Be brief.')
    await house.go({ id: 'one', objective: 'Write.', nodes: [{ id: 'writer', agent: AGENT }] })
    const { steps, summary } = await answer()
    const [first, second] = asked.map(textOf) as [string, string]
    expect(steps[1]).toMatchObject({ kept: shared(first, second), broken: { part: 'prelude', name: 'default' } })
    expect(summary.hint).toContain('Another version of the workspace')
  })
})

async function adopt(content: string): Promise<void> {
  const write = new TextEncoder().encode(JSON.stringify([{ role: 'system', content }]))
  const writer = { tenant: TENANT, policy: EVERYTHING, actor: 'ada' }
  await commitChanges(house.store, writer, { workspace: 'desk', changes: [{ path: 'prompts/packs/default.json', write }] })
  const selection = { workspace: { name: 'desk', version: null }, prelude: 'default', catalog: null }
  for (const command of [{ type: 'requestSync', selection } as const, { type: 'requestApply', when: 'next_step_boundary' } as const]) {
    await house.runs.sessions.submit(HOME, command)
    await house.runs.sessions.quiet(TENANT, 'desk')
  }
}

describe('what a provider says', () => {
  const base = { status: 'ok', finishReason: { reason: 'stop' }, warnings: [], providerId: 'test' } as const
  const asks = (usage: Usage | null): Receipt => ({ ...base, usage, toolCalls: [{ callId: '1', toolName: 'probe', arguments: {} }] })
  const done = (usage: Usage | null): Receipt => ({ ...base, usage, toolCalls: [], text: 'Done.' })

  async function go(receipts: readonly Receipt[], conversation?: string): Promise<void> {
    open(() => '')
    let call = 0
    const said = conversation === undefined ? {} : { conversation }
    const models: ChatModel = { resumes: () => conversation !== undefined, call: async () => ({ ...receipts[call++]!, ...said }) }
    const runs = testRuns(house.store, undefined, { models })
    const workflow = workflowOf({ id: 'one', objective: 'Go.', nodes: [{ id: 'writer' }] })
    await runs.create({ tenant: TENANT, runId: 'r1', actor: 'ada' }, { workflow })
    await runs.quiet(TENANT, 'r1')
    await runs.close()
  }

  it('of its tokens is told beside what was kept', async () => {
    await go([asks({ prompt: 100, completion: 1 }), done({ prompt: 120, completion: 1, cached: 96 })])
    const { steps } = await answer()
    expect(steps.map(({ inputTokens, cachedTokens }) => [inputTokens, cachedTokens])).toEqual([
      [100, null],
      [120, 96],
    ])
    expect(steps[1]).toMatchObject({ broken: null, lost: { tokens: 0, estimated: false } })
  })

  it('when it goes on from what it holds, nothing is compared, and blame says that nothing of the prompt was sent', async () => {
    await go([asks(null), done(null)], 'c1')
    const { steps, summary } = await answer()
    expect(steps.map(({ resumed, previous }) => [resumed, previous])).toEqual([
      [false, undefined],
      [true, undefined],
    ])
    expect(summary.compared).toBe(0)
    const [{ sent, spans }] = (await blameRun(house.store, TENANT, 'r1')) as [BlameAnswer]
    expect(sent).toEqual({ kind: 'delta', reason: 'header_unchanged', start: spans.at(-1)!.end, end: spans.at(-1)!.end })
  })
})

it('says so when there is no such run, or no such node', async () => {
  open(() => ({ text: 'Done.' }))
  await house.go({ id: 'one', nodes: [{ id: 'writer', objective: 'Write.' }] })
  await expect(prefixOfRun(house.store, TENANT, 'nobody')).rejects.toMatchObject({ code: 'run_missing' })
  await expect(answer('nobody')).rejects.toMatchObject({ code: 'node_missing' })
})
