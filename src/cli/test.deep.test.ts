// Tests onbook test from outside: with scripts, with recordings, and with a provider on 127.0.0.1.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'
import { loopbackProvider } from '../testing/models/loopback-provider.ts'

const NEWSROOM = 'examples/newsroom'
const CRITIC = 'prompts/critic/v1.0.0.yaml'
const SCRIPT = 'prompts/critic/v1.0.0.script.yaml'
const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8')

interface Reported {
  cases: {
    pack: string
    example: string | null
    status: string
    problems: { code: string; message: string; pointer?: string }[]
    ms: number
    diff?: string
    differences?: unknown[]
  }[]
  summary: Record<string, number>
}
const testJson = async (
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Reported & { code: number | null; err: string }> => {
  const { out, code, err } = await runCli(['test', ...args, '--json'], { cwd, env })
  return { ...JSON.parse(out), code, err }
}

describe('onbook test', () => {
  it('passes every example of a sound workspace with the scripts beside its packs', async () => {
    const { code, summary } = await testJson([NEWSROOM], '.')
    expect(summary).toEqual({ pass: 8, fail: 0, skip: 0, error: 0 })
    expect(code).toBe(0)
  })

  it('tests one pack with --prompt', async () => {
    const { cases } = await testJson(['--prompt', `${NEWSROOM}/${CRITIC}`], '.')
    expect(cases.map(({ example }) => example)).toEqual(['A banned word', 'An empty draft'])
  })

  it('shows a difference by pointer and as text', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, SCRIPT), read(folder, SCRIPT).replace('paragraph: 1', 'paragraph: 2'))
    const { code, cases } = await testJson([CRITIC], folder)
    expect(code).toBe(1)
    expect(cases[0]).toMatchObject({
      status: 'fail',
      problems: [{ code: 'output_differs', pointer: '/remarks/0/paragraph' }],
      differences: [{ op: 'replace', path: '/remarks/0/paragraph', expected: 1, actual: 2 }],
    })
    expect(cases[0]!.diff).toMatch(/^-.*"paragraph": 1,?\n\+.*"paragraph": 2/m)
    expect((await runCli(['test', CRITIC], { cwd: folder })).out).toContain('+      "paragraph": 2')
  })

  it('does not call a pack without examples a pass', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, CRITIC), read(folder, CRITIC).replace(/examples:[\s\S]*?constraints:/, 'constraints:'))
    const { code, cases } = await testJson([CRITIC], folder)
    expect(cases).toMatchObject([{ example: null, status: 'skip', problems: [{ code: 'tests_missing' }] }])
    expect(code).toBe(1)
    expect((await runCli(['test', CRITIC], { cwd: folder })).out).toMatch(/no tests/i)
    expect((await runCli(['test', CRITIC, '--allow-empty'], { cwd: folder })).code).toBe(0)
  })

  it.each([
    ['an output that breaks its schema', (text: string) => text.replace('verdict: "revise"', 'verdict: "maybe"'), 'fail', 'output_invalid'],
    [
      'a reply that is not JSON',
      (text: string) => text.replace(/A banned word:[\s\S]*?An empty/, 'A banned word: "Sure! Here is"\n  An empty'),
      'fail',
      'reply_invalid',
    ],
    ['a reply nobody scripted', (text: string) => text.replace('A banned word', 'Another'), 'error', 'reply_missing'],
    ['a script that is not a script', () => '- nothing', 'error', 'script_invalid'],
  ])('reports %s', async (_, change, status, code) => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, SCRIPT), change(read(folder, SCRIPT)))
    const result = await testJson([CRITIC], folder)
    expect([result.cases[0]!.status, result.cases[0]!.problems[0]!.code]).toEqual([status, code])
    expect(result.code).toBe(1)
  })

  it('reports a pack that is no pack, and tests the others', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, CRITIC), 'id: [')
    const { cases, summary } = await testJson([], folder)
    const broken = cases.find(({ status }) => status === 'error')
    expect(broken).toMatchObject({ pack: CRITIC, example: null })
    expect(broken!.problems[0]).toMatchObject({ code: 'pack_invalid', message: expect.stringMatching(/^line 1: /) })
    expect(summary).toMatchObject({ pass: 6, error: 1 })
  })

  it('gives one example the blame for one odd reply', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const replies = (reply: string) =>
      `replies:\n  A banned word: ${JSON.stringify(reply)}\n  An empty draft: { verdict: "revise", remarks: [] }\n`
    for (const reply of [
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      '{"verdict":"\\ud800","remarks":[]}',
      `"${'x'.repeat(5 * 1024 * 1024)}"`,
    ]) {
      writeFileSync(join(folder, SCRIPT), replies(reply))
      const { cases, code } = await testJson([CRITIC], folder)
      expect(cases.map(({ status }) => status)).toEqual(['fail', 'pass'])
      expect(cases[0]!.problems[0]!.message.length).toBeLessThan(300)
      expect(code).toBe(1)
    }
  })

  it('ignores the paths an example says may differ', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, SCRIPT), read(folder, SCRIPT).replace('paragraph: 1', 'paragraph: 2'))
    writeFileSync(
      join(folder, CRITIC),
      read(folder, CRITIC).replace('  - name: "A banned word"\n', '  - name: "A banned word"\n    ignore: ["/remarks/0/paragraph"]\n'),
    )
    expect((await testJson([CRITIC], folder)).summary.pass).toBe(2)
  })
})

describe('onbook test with a provider', () => {
  const REPLIES: Readonly<Record<string, unknown>> = {
    very: { verdict: 'revise', remarks: [{ paragraph: 1, remark: 'Remove the word "very".' }] },
    empty: { verdict: 'revise', remarks: [] },
  }
  const replyTo = (content: string) => JSON.stringify(content.includes('the very last') ? REPLIES.very : REPLIES.empty)
  const env = (url: string) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' })

  it('records what the model says, and plays it back without it', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const provider = await loopbackProvider(({ messages }) => replyTo(String(messages.at(-1)!.content)))
    const recorded = await testJson([CRITIC, '--model', 'openai:tiny', '--record'], folder, env(provider.url))
    expect(recorded.summary).toMatchObject({ pass: 2 })
    expect(recorded.err).toContain('Recorded prompts/critic/v1.0.0.recorded.json')
    await provider.close()
    expect((await testJson([CRITIC], folder)).summary).toMatchObject({ pass: 2 })

    writeFileSync(join(folder, CRITIC), read(folder, CRITIC).replace('can be printed', 'may be printed'))
    const stale = await testJson([CRITIC], folder)
    expect(stale.cases[0]).toMatchObject({ status: 'error', problems: [{ code: 'reply_stale' }] })
  })

  it('sends the rendered prompt, the input and the schema, and never an answer', async () => {
    const provider = await loopbackProvider(({ messages }) => replyTo(String(messages.at(-1)!.content)))
    await testJson([`${NEWSROOM}/${CRITIC}`, '--model', 'openai:tiny'], '.', env(provider.url))
    const [system, user] = provider.requests[0]!.body.messages
    expect(system!.content).toContain('The word "literally" must not appear.')
    expect(user!.content).toContain('https://newsroom.example/schemas/review.json')
    expect(JSON.stringify(provider.requests)).not.toContain('Remove the word')
    await provider.close()
  })

  it('packs D10: a redirect is not followed, so the prompt stays with the provider it was meant for', async () => {
    const elsewhere = await loopbackProvider(({ messages }) => replyTo(String(messages.at(-1)!.content)))
    const provider = await loopbackProvider((_, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end()
      return undefined
    })
    const { cases } = await testJson([`${NEWSROOM}/${CRITIC}`, '--model', 'openai:tiny'], '.', env(provider.url))
    expect(cases.map(({ status }) => status)).toEqual(['error', 'error'])
    expect([provider.requests.length > 0, elsewhere.requests]).toEqual([true, []])
    await Promise.all([provider.close(), elsewhere.close()])
  })

  it('gives up on a model that never answers, and says so', async () => {
    const provider = await loopbackProvider(({ messages }) =>
      String(messages.at(-1)!.content).includes('the very last') ? undefined : replyTo(''),
    )
    const { cases, code } = await testJson([`${NEWSROOM}/${CRITIC}`, '--model', 'openai:tiny', '--timeout', '0.5'], '.', env(provider.url))
    expect(cases.map(({ status }) => status)).toEqual(['error', 'pass'])
    expect(cases[0]!.problems[0]!.message).toContain('no reply within 0.5 s')
    expect(code).toBe(1)
    await provider.close()
  })

  it('survives a model that dies in the middle of its answer', async () => {
    const provider = await loopbackProvider((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"choices": [')
      response.destroy()
      return undefined
    })
    const { cases } = await testJson([`${NEWSROOM}/${CRITIC}`, '--model', 'openai:tiny'], '.', env(provider.url))
    expect(cases.map(({ status }) => status)).toEqual(['error', 'error'])
    await provider.close()
  })

  it('says what went wrong before the time was up', async () => {
    const provider = await loopbackProvider((_, response) => {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{"message":"the engine is on fire"}}')
      return undefined
    })
    const { cases } = await testJson([`${NEWSROOM}/${CRITIC}`, '--model', 'openai:tiny', '--timeout', '1'], '.', env(provider.url))
    expect(cases[0]!.problems[0]!.message).toBe('no reply within 1 s; before that, openai:tiny failed: the engine is on fire (503).')
    await provider.close()
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('leaves a whole report after %s, in which what was not finished is an error', async (signal, expected) => {
    const folder = temporaryFolder(null)
    const file = join(folder, 'report.json')
    // The provider answers the first request, and never the second.
    const provider = await loopbackProvider(() => (provider.requests.length === 1 ? replyTo('the very last') : undefined))
    const args = ['test', `${NEWSROOM}/${CRITIC}`, '--model', 'openai:tiny', '--format', 'json', '--output', file, '--concurrency', '1']
    const { code } = await runCli(args, {
      env: env(provider.url),
      during: child => {
        const poll = setInterval(() => {
          if (provider.requests.length < 2) return
          clearInterval(poll)
          child.kill(signal)
        }, 20)
      },
    })
    const report = JSON.parse(read(folder, 'report.json')) as Reported
    expect(report.cases.map(({ example, status }) => [example, status])).toEqual([
      ['A banned word', 'pass'],
      ['An empty draft', 'error'],
    ])
    expect(report.cases[1]!.problems).toEqual([{ code: 'interrupted', message: 'Not finished: the run was interrupted' }])
    expect(report.summary).toEqual({ pass: 1, fail: 0, skip: 0, error: 1 })
    expect(readdirSync(folder)).toEqual(['report.json'])
    expect(code).toBe(expected)
    await provider.close()
  })

  it('keeps keys out of reports and recordings', async () => {
    const folder = temporaryFolder(NEWSROOM)
    const provider = await loopbackProvider(() => '"your key is sk-very-secret"')
    const { out, err } = await runCli(['test', CRITIC, '--model', 'openai:tiny', '--record', '--json'], {
      cwd: folder,
      env: { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'sk-very-secret' },
    })
    expect(out + err + read(folder, 'prompts/critic/v1.0.0.recorded.json')).not.toContain('sk-very-secret')
    expect(provider.requests[0]!.key).toBe('Bearer sk-very-secret')
    await provider.close()
  })

  it('does not pay a model for a recording that cannot be kept', async () => {
    const folder = temporaryFolder(NEWSROOM)
    writeFileSync(join(folder, 'prompts/critic/v1.0.0.recorded.json'), '{')
    const provider = await loopbackProvider(() => '{}')
    const { cases } = await testJson([CRITIC, '--model', 'openai:tiny', '--record'], folder, env(provider.url))
    expect(cases[0]!.problems[0]!.code).toBe('script_invalid')
    expect(provider.requests).toEqual([])
    expect(read(folder, 'prompts/critic/v1.0.0.recorded.json')).toBe('{')
    await provider.close()
  })

  it.each([
    [['--model', 'gpt'], 'model_unknown'],
    [['--model', 'constructor:x'], 'model_unknown'],
    [['--record'], 'usage_invalid'],
    [['--timeout', '99999999999'], 'usage_invalid'],
    [['--timeout', '0'], 'usage_invalid'],
    [['--concurrency', '0'], 'usage_invalid'],
  ])('explains %j once, and ends with 2', async (args, error) => {
    const { out, code } = await runCli(['test', `${NEWSROOM}/${CRITIC}`, ...args, '--json'])
    expect(JSON.parse(out)).toMatchObject({ error })
    expect(code).toBe(2)
  })
})

describe('npm run studio:test', () => {
  it('works in a scaffold', async () => {
    const folder = temporaryFolder(null)
    await runCli(['init', 'demo'], { cwd: folder })
    expect(JSON.parse(read(folder, 'demo/package.json')).scripts['studio:test']).toBe('onbook test')
    expect(existsSync(join(folder, 'demo/prompts/summarizer/v1.0.0.yaml'))).toBe(true)
    const { code } = await runCli(['test', '--prompt', 'prompts/summarizer/v1.0.0.yaml'], { cwd: join(folder, 'demo') })
    expect(code).toBe(0)
  })
})
