// The fuzz of a host as a test suite, short or long. It includes every route that the framework knows, without a list to maintain.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { breaksIn } from '../mutations/breaks-in.ts'
import { answerCheck } from '../oracles/check-answer.ts'
import { rightRequest, wrongRequest } from './any-request.ts'
import { answerProblems, judgesOf, shown } from './ask-and-judge.ts'
import { furnishedHost } from './furnished-host.ts'
import { rawCases } from './raw-cases.ts'
import { exchange } from './raw-http.ts'

export interface FuzzSize {
  readonly right: number
  readonly wrong: number
}

const LIMIT_MS = 5_000
const MOST_TRIES = 400

const seedOf = (): number => Number(process.env.ONBOOK_FUZZ_SEED ?? Math.floor(Math.random() * 0x7fffffff))

export async function fuzzSuite(size: FuzzSize): Promise<void> {
  const seed = seedOf()
  process.stdout.write(`fuzz of the host: ONBOOK_FUZZ_SEED=${seed}\n`)
  const { host, key, hintsFor } = await furnishedHost()
  afterAll(() => host.close())
  const judgeFor = await judgesOf(host, key)
  const seen = new Map(host.routes.map(route => [route, new Set<number>()]))

  describe.each(host.routes)('$method $url', route => {
    const judge = judgeFor(route)
    const asserts = async (requests: ReturnType<typeof rightRequest>, numRuns: number) => {
      const property = fc.asyncProperty(withText(requests), async request => {
        seen.get(route)!.add(await judge(request))
      })
      await fc.assert(property, { seed, numRuns, endOnFailure: true })
    }
    it('answers what is right', () => asserts(rightRequest(route, hintsFor(route)), size.right))
    it('answers what is wrong, and does nothing', () => asserts(wrongRequest(route, hintsFor(route)), size.wrong))
    it('was reached', async () => {
      const isReached = () => [...seen.get(route)!].some(status => status < 300)
      // Chance may have named only what is not there.
      for (const request of fc.sample(withText(rightRequest(route, hintsFor(route))), { seed: seed + 1, numRuns: MOST_TRIES })) {
        if (isReached()) return
        seen.get(route)!.add(await judge(request))
      }
      expect(isReached()).toBe(true)
    })
  })

  describe('bytes that are hardly a request', async () => {
    const check = answerCheck((await host.ask('GET', '/v1/openapi.json')).body)
    it.each(rawCases(new URL(host.url).host, host.key))('$name', async ({ steps, status }) => {
      const { answers, closed, rest } = await exchange(host.url, steps, { limitMs: LIMIT_MS })
      const final = answers.filter(answer => answer.status >= 200)
      expect(closed, 'the host left the line open').toBe(true)
      expect(rest).toBe('')
      if (status.length > 0) expect(status).toContain(final[0]?.status)
      for (const { status: given, headers, body } of final)
        expect(answerProblems({ status: given, type: headers['content-type'] ?? '', text: body }, '', '/', check)).toEqual([])
    })
  })

  it('promises something about every answer', async () => {
    expect(answerCheck((await host.ask('GET', '/v1/openapi.json')).body).silent).toEqual([])
  })

  it('goes on answering while forty bodies dribble in and never end', async () => {
    const { host: name } = new URL(host.url)
    const start = `POST /v1/prompts HTTP/1.1\r\nhost: ${name}\r\nauthorization: Bearer ${host.key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`
    const slow = Array.from({ length: 40 }, () => exchange(host.url, [start, '{', 100, '"', 100, 'a'], { limitMs: 600, stayOpen: true }))
    for (let n = 0; n < 20; n++) expect((await host.ask('GET', '/v1/prompts?limit=1')).status).toBe(200)
    expect((await Promise.all(slow)).flatMap(({ answers }) => answers)).toEqual([])
  })

  it('leaves a host that answers, and a record that is intact', async () => {
    expect((await host.ask('GET', '/healthz')).body).toEqual({ ok: true })
    expect((await host.ask('GET', '/v1/prompts/known?version=1.0.0')).status).toBe(200)
    expect(await breaksIn(host.store)).toEqual([])
  })
}

/** A request that fails is printed so that a person can read it, and not by its hundred thousand brackets. */
const withText = (requests: ReturnType<typeof rightRequest>): ReturnType<typeof rightRequest> =>
  requests.map(request => ({ ...request, [fc.toStringMethod]: () => shown(request) }))
