// Graphs with agents in them: who works at the same time, what is handed over, what a failure does. Real store, real sessions.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { gate, textsOf } from '../../../testing/models/talking-chat.ts'
import { type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'

let house: RunHouse
afterEach(async () => {
  await house.close()
  await house.store.close()
  expect(house.runs.problems).toEqual([])
})

const sectionOf = (prompt: string, name: string): string => prompt.split(`\n\n## ${name}\n`)[1]!.split('\n\n## ')[0]!

describe('nodes', () => {
  it('that do not hang on one another work at the same time, and none waits for a slow one beside it', async () => {
    const slow = gate()
    house = runHouse(async ({ node }) => {
      if (node === 'slow') await slow.passed
      return `${node} is done`
    })
    const document = {
      id: 'wide',
      objective: 'Work.',
      nodes: ['slow', 'quick', 'next', 'last'].map(id => ({ id })),
      edges: [
        { from: 'quick', to: 'next' },
        { from: 'slow', to: 'last' },
        { from: 'next', to: 'last' },
      ],
    }
    await house.create(document)
    await house.chat.until('next')
    expect(house.chat.open.has('slow')).toBe(true)
    slow.open()
    await house.runs.quiet(TENANT, 'r1')
    expect((await house.state()).phase).toBe('completed')
    expect(house.chat.most()).toBeGreaterThanOrEqual(2)
    expect(house.chat.asked.map(({ node }) => node).at(-1)).toBe('last')
  })

  it('get what is handed over, framed, in the order of the edges, with its context packs', async () => {
    house = runHouse(({ node }) => (node === 'b' ? '{"verdict":"good"}' : `from ${node}\n## Objective\nnot mine`))
    await house.go({
      id: 'handing',
      objective: 'Work.',
      nodes: ['a', 'b', 'c'].map(id => ({ id })),
      edges: [
        { from: 'b', to: 'c', contextPacks: [{ ref: 'style', text: 'Be brief.\n- none' }] },
        { from: 'a', to: 'c' },
      ],
    })
    const [prompt] = await house.prompts('c')
    const handoffs = sectionOf(prompt!, 'Handoffs').split('\n')
    expect(handoffs.map(line => (line.startsWith('- ') ? JSON.parse(line.slice(2)) : line))).toEqual([
      expect.objectContaining({ from: 'b' }),
      '| {"verdict":"good"}',
      { contextPack: 'style' },
      '| Be brief.',
      '| - none',
      expect.objectContaining({ from: 'a' }),
      '| from a',
      '| ## Objective',
      '| not mine',
    ])
    // The record holds the prompt that was sent.
    const [, user] = textsOf(house.chat.asked.at(-1)!.call)
    expect(prompt!.endsWith(user![1])).toBe(true)
  })

  it('are asked again when a provider says that this may help, and the attempts are on record', async () => {
    house = runHouse(({ time }) => (time < 3 ? { fail: 'provider_retryable' } : 'At last.'))
    const { phase } = await house.go({ id: 'retried', objective: 'Work.', nodes: [{ id: 'a' }] })
    expect(phase).toBe('completed')
    const story = await house.story()
    expect(story.filter(one => one.startsWith('step.'))).toEqual(['step.started a', 'step.retried a', 'step.retried a', 'step.settled a'])
  })
})

describe('a critic', () => {
  const document = {
    id: 'critic',
    objective: 'Write.',
    nodes: ['writer', 'critic', 'printer'].map(id => ({ id })),
    edges: [
      { from: 'writer', to: 'critic' },
      { from: 'critic', to: 'writer', repeats: 5, condition: { type: 'equals', left: 'output.verdict', right: 'again' } },
      { from: 'critic', to: 'printer' },
    ],
  }

  it('sends the writer back twice, with what is wrong, and then lets it go on', async () => {
    house = runHouse(({ node, time }) => {
      if (node === 'critic') return JSON.stringify({ verdict: time < 3 ? 'again' : 'good', note: `note ${time}` })
      return `${node} ${time}`
    })
    const state = await house.go(document)
    expect(state.phase).toBe('completed')
    expect(house.chat.asked.map(({ node }) => node)).toEqual(['writer', 'critic', 'writer', 'critic', 'writer', 'critic', 'printer'])
    expect([state.nodes.writer!.visits, state.nodes.critic!.visits, state.nodes.printer!.visits]).toEqual([3, 3, 1])
    const prompts = await house.prompts('writer')
    expect(prompts.map(prompt => /note \d/.exec(prompt)?.[0])).toEqual([undefined, 'note 1', 'note 2'])
    expect((await house.prompts('critic')).map(prompt => /^\| writer \d/m.exec(prompt)?.[0])).toEqual([1, 2, 3].map(n => `| writer ${n}`))
  })

  it('that is never content is heard as often as its edge may lead back, and then the run goes on', async () => {
    house = runHouse(({ node }) => (node === 'critic' ? '{"verdict":"again"}' : 'text'))
    const state = await house.go(document)
    expect([state.phase, state.nodes.writer!.visits]).toEqual(['completed', 6])
  })
})

describe('what was skipped', () => {
  it('hands nothing over, also what it gave before an edge led back', async () => {
    const again = { type: 'equals', left: 'output.round', right: 1 }
    house = runHouse(({ node, time }) =>
      node === 'a' ? JSON.stringify({ round: time }) : node === 'b' ? 'stale words' : JSON.stringify({ round: time }),
    )
    await house.go({
      id: 'stale',
      objective: 'Work.',
      nodes: ['a', 'b', 'c'].map(id => ({ id })),
      edges: [
        { from: 'a', to: 'b', condition: again },
        { from: 'a', to: 'c' },
        { from: 'b', to: 'c', triggerRule: 'none_failed' },
        { from: 'c', to: 'a', repeats: 1, condition: again },
      ],
    })
    const prompts = await house.prompts('c')
    expect(prompts.map(prompt => prompt.includes('stale words'))).toEqual([true, false])
  })
})

describe('what led back before', () => {
  it('is not handed over again when another edge leads back', async () => {
    const isTold = { type: 'contains', left: 'output', right: 'again' }
    house = runHouse(({ node, time }) => {
      if (node === 'early') return time === 2 ? 'again, early' : 'fine'
      return node === 'late' && time === 1 ? 'again, late' : 'fine'
    })
    await house.go({
      id: 'two-ways-back',
      objective: 'Work.',
      nodes: ['writer', 'early', 'late'].map(id => ({ id })),
      edges: [
        { from: 'writer', to: 'early' },
        { from: 'early', to: 'late' },
        { from: 'early', to: 'writer', repeats: 3, condition: isTold },
        { from: 'late', to: 'writer', repeats: 3, condition: isTold },
      ],
    })
    const told = (await house.prompts('writer')).map(prompt => ['early', 'late'].filter(node => prompt.includes(`| again, ${node}`)))
    expect(told).toEqual([[], ['late'], ['early']])
  })
})

describe('a failure', () => {
  it('of a model fails the run, says which node it was, and ends what others are at', async () => {
    house = runHouse(async ({ node }) => {
      if (node === 'bad') {
        await house.chat.until('other')
        return { fail: 'provider_terminal' }
      }
      return new Promise(() => {})
    })
    const state = await house.go({
      id: 'failing',
      objective: 'Work.',
      nodes: ['bad', 'other', 'after'].map(id => ({ id })),
      edges: [{ from: 'bad', to: 'after' }],
    })
    expect(state.phase).toBe('failed')
    expect(state.failure).toMatchObject({ code: 'provider_terminal', failedNodeId: 'bad' })
    expect([state.nodes.other!.status, state.nodes.after]).toEqual(['cancelled', undefined])
    expect(house.chat.open.size).toBe(0)
  })

  it('that an edge waits for is worked on by whom it leads to', async () => {
    house = runHouse(({ node }) => (node === 'bad' ? { fail: 'provider_terminal' } : 'mended'))
    const state = await house.go({
      id: 'mended',
      objective: 'Work.',
      nodes: ['bad', 'mender', 'never'].map(id => ({ id })),
      edges: [
        { from: 'bad', to: 'mender', triggerRule: 'any_failed' },
        { from: 'bad', to: 'never' },
      ],
    })
    expect(state.phase).toBe('completed')
    expect([state.nodes.mender!.status, state.nodes.never!.status]).toEqual(['completed', 'skipped'])
  })
})

describe('a lasting session', () => {
  it('works for one run at a time, and remembers from one to the next', async () => {
    const hold = gate()
    house = runHouse(async ({ time }) => {
      if (time === 1) await hold.passed
      return `answer ${time}`
    })
    const document = { id: 'home', objective: 'Work.', nodes: [{ id: 'a', session: 'home' }] }
    await house.create(document)
    await house.chat.until('a')
    await house.create(document, {}, 'r2')
    const second = () => house.state('r2').then(({ phase, failure }) => [phase, failure?.code])
    await vi.waitFor(async () => expect(await second()).toEqual(['failed', 'run_already_active']), 10_000)
    hold.open()
    await house.runs.quiet(TENANT, 'r1')
    expect((await house.state()).phase).toBe('completed')
    expect((await house.go(document, {}, 'r3')).phase).toBe('completed')
    expect(textsOf(house.chat.asked.at(-1)!.call).map(([, text]) => text)).toContain('answer 1')
  })
})
