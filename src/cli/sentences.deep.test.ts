// Tests sentences of the guides about which version a run uses: each is in its file, and a sequence of commands proves it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

let cwd: string
const onbook = async (...args: readonly string[]) => {
  const { code, out, err } = await runCli(args, { cwd })
  expect([code, err], args.join(' ')).toEqual([0, ''])
  return out
}
const RUN = ['--script', 'script.yaml', '--input', '{"title":"Trams","body":"They run."}', '--json']
/** @param workflow `free` has no agent; `desk` has one with a session of its own */
const nextRun = async (workflow: 'free' | 'desk') => {
  const { runId } = JSON.parse(await onbook('run', workflow, ...RUN))
  const [answer] = JSON.parse(await onbook('why', runId, '--kind', 'system', '--json'))
  const { source, meant } = answer.chain.find(({ applied }: { applied: boolean }) => applied)
  return `${source.split('@')[1]} ${meant}`
}
const workflow = (id: string, agent = '') =>
  `id: ${id}\nobjective: Summarise.\nnodes:\n  - id: a\n${agent}    config: { systemPromptRef: "prompt:summarizer" }\n`

beforeAll(async () => {
  cwd = temporaryFolder(null)
  await onbook('init', 'desk')
  cwd = join(cwd, 'desk')
  const write = (path: string, text: string) => writeFileSync(join(cwd, path), text)
  for (const folder of ['agents', 'workflows']) mkdirSync(join(cwd, folder))
  write('script.yaml', 'replies:\n  - text: |\n      {"summary":"Trams run.","keyPoints":[]}\n')
  write('agents/writer.yaml', 'agentId: local.desk.writer\npersona: Writer\nsession: desk\n')
  write('workflows/free.yaml', workflow('free'))
  write('workflows/desk.yaml', workflow('desk', '    agent: local.desk.writer\n'))
  await onbook('publish', '--workspace', 'desk')
  await onbook('sessions', 'create', 'desk', '--agent', 'local.desk.writer')
  await onbook('sync', 'desk', '--workspace', 'desk')
  await onbook('apply', 'desk')
})

/** In this order: each sequence begins where the one before ended. */
const SENTENCES = [
  {
    file: 'docs/guide/packs.md',
    sentence: 'Publishing alone changes nothing that runs use',
    async walk() {
      await onbook('bump', 'summarizer', 'minor')
      expect(await onbook('publish', '--workspace', 'desk')).toContain('Active: summarizer 1.0.0; not active: 1.1.0')
      expect(await nextRun('free')).toBe('1.0.0 active')
    },
  },
  {
    file: 'docs/guide/resolution-chain.md',
    sentence: 'change the registry and move the label in the record, in one command: the next run uses the version.',
    async walk() {
      await onbook('activate', 'summarizer', '1.1.0')
      expect(await nextRun('free')).toBe('1.1.0 active')
      expect(readFileSync(join(cwd, 'onbook.registry.json'), 'utf8')).toContain('"active": "1.1.0"')
    },
  },
  {
    file: 'docs/guide/packs.md',
    sentence: 'An agent whose session has a workspace with this pack applied uses the version in that snapshot',
    async walk() {
      expect(await nextRun('desk')).toBe('1.0.0 snapshot')
    },
  },
  {
    file: 'docs/guide/sessions.md',
    sentence: '`sync` lists each pack that would change, with its check and its tests.',
    async walk() {
      await onbook('publish', '--workspace', 'desk')
      expect(await onbook('sync', 'desk')).toMatch(/summarizer: 1\.0\.0 → 1\.1\.0 \(check: .*tests: 2 pass/)
      expect(await nextRun('desk')).toBe('1.0.0 snapshot')
      await onbook('apply', 'desk')
      expect(await nextRun('desk')).toBe('1.1.0 snapshot')
    },
  },
  {
    file: 'docs/guide/packs.md',
    sentence: 'the history keeps both moves, and the next run uses the earlier version.',
    async walk() {
      await onbook('activate', 'summarizer', '--back')
      expect(await nextRun('free')).toBe('1.0.0 active')
      expect(await nextRun('desk')).toBe('1.1.0 snapshot')
    },
  },
  {
    file: 'docs/guide/resolution-chain.md',
    sentence: '`onbook prompt retire` takes a version out of use: only a ref that names it leads there.',
    async walk() {
      await onbook('retire', 'summarizer', '1.1.0')
      expect((await runCli(['label', 'summarizer', 'active', '1.1.0'], { cwd })).code).toBe(2)
      expect(await onbook('render', 'prompt:summarizer@1.1.0', '--published', '--lenient', '--json')).toContain('1.1.0')
    },
  },
  {
    file: 'docs/guide/resolution-chain.md',
    sentence: 'is moved by neither `publish` nor `activate`.',
    async walk() {
      await onbook('label', 'summarizer', 'active', '--protect')
      await onbook('bump', 'summarizer@1.0.0', 'patch')
      expect((await runCli(['activate', 'summarizer', '1.0.1'], { cwd })).code).toBe(2)
      await onbook('publish')
      expect(await nextRun('free')).toBe('1.0.0 active')
    },
  },
]

describe.each(SENTENCES)('$file: $sentence', ({ file, sentence, walk }) => {
  it('is in its file', () => {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(sentence)
  })
  it('is true', walk)
})
