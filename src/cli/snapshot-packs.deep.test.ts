// Tests a workspace with packs on the command line: publish, sync, apply, run; then every question about the run, from the record and from its file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const AGENT = 'agentId: local.desk.writer\npersona: Writer\nsession: desk\n'
const WORKFLOW =
  'id: brief\nobjective: Summarise.\nnodes:\n  - id: a\n    agent: local.desk.writer\n    config: { systemPromptRef: "prompt:summarizer" }\n'
const SCRIPT = 'replies:\n  - text: |\n      {"summary":"Trams run.","keyPoints":[]}\n'
const RUN = ['--script', 'script.yaml', '--input', '{"title":"Trams","body":"They run."}', '--json']
const NEXT = 'prompts/summarizer/v1.1.0.yaml'

let cwd: string
const onbook = async (...args: readonly string[]) => {
  const { code, out, err } = await runCli(args, { cwd })
  expect([code, err], args.join(' ')).toEqual([0, ''])
  return out
}
const run = async (): Promise<string> => JSON.parse(await onbook('run', 'brief', ...RUN)).runId
const chosen = async (what: string) => {
  const [answer] = JSON.parse(await onbook('why', what, '--kind', 'system', '--json'))
  const { source, meant, snapshot, adopted } = answer.chain.find(({ applied }: { applied: boolean }) => applied)
  return { source, meant, version: snapshot?.version, adopted: adopted?.map(({ type }: { type: string }) => type) }
}
const write = (path: string, text: string) => writeFileSync(join(cwd, path), text)

beforeAll(async () => {
  cwd = temporaryFolder(null)
  await onbook('init', 'desk')
  cwd = join(cwd, 'desk')
  for (const folder of ['agents', 'workflows']) mkdirSync(join(cwd, folder))
  write('script.yaml', SCRIPT)
  write('agents/writer.yaml', AGENT)
  write('workflows/brief.yaml', WORKFLOW)
  await onbook('publish', '--workspace', 'desk')
  await onbook('sessions', 'create', 'desk', '--agent', 'local.desk.writer')
})

describe('packs of a workspace', () => {
  let first: string
  it('decide for the agent once they are applied', async () => {
    expect(await chosen(await run())).toMatchObject({ source: 'prompt:summarizer@1.0.0', meant: 'active' })
    expect(await onbook('sync', 'desk', '--workspace', 'desk')).toContain('Ready: desk, version 1 (packs).')
    await onbook('apply', 'desk', '--when', 'immediate_if_idle')
    first = await run()
    expect(await chosen(first)).toEqual({
      source: 'prompt:summarizer@1.0.0',
      meant: 'snapshot',
      version: 1,
      adopted: ['workspace.applied'],
    })
  })

  it('stay as they are when the library has another active version, until a sync is applied', async () => {
    await onbook('bump', 'summarizer', 'minor')
    write(NEXT, readFileSync(join(cwd, NEXT), 'utf8').replace('Summarize one article', 'Summarize one report'))
    await onbook('activate', 'summarizer', '1.1.0')
    expect(await chosen(await run())).toMatchObject({ source: 'prompt:summarizer@1.0.0', meant: 'snapshot', version: 1 })
    const held = await runCli(['replay', first, '--against', './', '--workspace', 'desk', '--json'], { cwd })
    expect([held.code, JSON.parse(held.out)]).toMatchObject([
      1,
      { changed: 1, causes: [{ cause: 'template', name: 'summarizer', file: NEXT, from: '1.0.0', to: '1.1.0' }] },
    ])
    await onbook('publish', '--workspace', 'desk')
    expect(await onbook('sync', 'desk')).toContain('summarizer: 1.0.0 → 1.1.0 (check: 0 warnings; tests: 2 pass, 0 fail)')
    expect(await chosen(await run())).toMatchObject({ version: 1 })
    await onbook('apply', 'desk')
  })

  it('are in the record and in the file of the run: why, replay, verify, fork', async () => {
    const runId = await run()
    const expected = {
      source: 'prompt:summarizer@1.1.0',
      meant: 'snapshot',
      version: 2,
      adopted: ['workspace.approved', 'workspace.applied'],
    }
    expect(await chosen(runId)).toEqual(expected)
    await onbook('export', runId, '-o', 'run.jsonl')
    expect(await chosen('run.jsonl')).toEqual(expected)
    for (const level of ['1', '2', '3']) for (const what of [runId, 'run.jsonl']) await onbook('replay', what, '--level', level)
    await onbook('verify', 'run.jsonl')
    await onbook('collect')
    await onbook('replay', first)
    const { runId: fork } = JSON.parse(
      await onbook('fork', runId, '--from', 'a', '--override', 'Be brief.', '--script', 'script.yaml', '--json'),
    )
    expect(await chosen(fork)).toMatchObject({ source: 'prompt:summarizer@1.1.0', meant: 'snapshot', version: 2 })
    expect(await onbook('blame', runId)).toContain(NEXT)
    expect(await onbook('render', 'prompt:summarizer', '--session', 'desk', '--lenient')).toContain('Summarize one report')
  })

  it('are not applied untested, unless it is asked for', async () => {
    await onbook('bump', 'summarizer@1.1.0', 'patch')
    await onbook('activate', 'summarizer', '1.1.1')
    write('prompts/summarizer/v1.1.1.script.yaml', 'replies: {}\n')
    await onbook('publish', '--workspace', 'desk')
    expect(await onbook('sync', 'desk')).toContain('apply needs --untested')
    const refused = await runCli(['apply', 'desk'], { cwd })
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('summarizer@1.1.1')])
    expect(await onbook('apply', 'desk', '--untested')).toContain('takes over at the next run')
    expect(await onbook('sessions', 'events', 'desk', '--json')).toContain('"untested":["summarizer@1.1.1"]')
    expect(await chosen(await run())).toMatchObject({ source: 'prompt:summarizer@1.1.1', version: 3 })
  })
})
