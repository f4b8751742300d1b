// A template with thousands of versions, over HTTP: publishing another and moving a label takes as long as at the beginning.
import { expect, it } from 'vitest'
import { startHost, template } from '../../testing/hosts/start-host.ts'

const VERSIONS = 2_000
const AT_ONCE = 200

it('reliability D15: publishing the nth version of a template, and moving its label, costs what the first did', async () => {
  const host = await startHost()
  const versionOf = (n: number) => `1.${n}.0`
  const put = async (n: number) => {
    const body = template('many', { version: versionOf(n), text: `Text ${n}.`, variables: [] })
    const { status } = await host.ask(n === 0 ? 'POST' : 'PUT', n === 0 ? '/v1/prompts' : '/v1/prompts/many', { body })
    expect(status).toBeLessThan(300)
  }
  const move = async (n: number) => {
    const { status } = await host.ask('PUT', '/v1/labels/many/production', { body: { version: versionOf(n) } })
    expect(status).toBe(200)
  }
  const timed = async (work: () => Promise<void>): Promise<number> => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const rounds: { published: number; moved: number }[] = []
  for (let from = 0; from < VERSIONS; from += AT_ONCE) {
    const published = await timed(async () => {
      for (let n = from; n < from + AT_ONCE; n++) await put(n)
    })
    const moved = await timed(async () => {
      for (let n = from; n < from + 50; n++) await move(n)
    })
    rounds.push({ published, moved })
  }
  console.log(rounds)
  // The machine may have been busy in one round: the quickest of the first and of the last few.
  const quickest = (some: typeof rounds, what: 'published' | 'moved') => Math.min(...some.map(round => round[what]))
  for (const what of ['published', 'moved'] as const)
    expect(quickest(rounds.slice(-3), what) / quickest(rounds.slice(0, 3), what)).toBeLessThan(2)
  await host.close()
})
