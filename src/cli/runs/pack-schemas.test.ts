// Tests a pack's schemas at run time, and that a test sends the same request as a run: from outside, with a provider that records every request.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { type LoopbackProvider, loopbackProvider } from '../../testing/models/loopback-provider.ts'

const REFS = 'systemPromptRef: "prompt:summarizer@1.0.0", schemaHintPromptRef: "prompt:summarizer.schema-hint@1.0.0"'
const FILES = {
  'workflows/sum.yaml': `id: sum\nnodes: [{ id: a, ${REFS} }]\n`,
  'workflows/lax.yaml': `id: lax\nonMisfit: warn\nnodes: [{ id: a, ${REFS} }]\n`,
}
const INPUT = {
  title: 'Tram line 7 reopens',
  body: 'After two years of work, tram line 7 runs again from Monday. Trams come every ten minutes. The city paid 40 million for the new tracks.',
}
const WRONG = JSON.stringify({ title: 5, nonsense: true })

let provider: LoopbackProvider
let folder: string
const cli = (...args: readonly string[]) => runCli(args, { cwd: folder, env: { OPENAI_COMPATIBLE_BASE_URL: provider.url } })
const run = (workflow: string, input: string) =>
  cli('run', `workflows/${workflow}.yaml`, '--input', input, '--provider', 'openai-compatible', '--model', 'm', '--json')

beforeAll(async () => {
  provider = await loopbackProvider(() => 'not json')
  folder = temporaryFolder('scaffold', FILES)
})
afterAll(() => provider.close())

it('packs D5: an input that does not fit the pack is refused before there is a run', async () => {
  const { code, out } = await run('sum', WRONG)
  expect([code, JSON.parse(out).error]).toEqual([2, 'input_misfit'])
  expect(JSON.parse(out).details).toMatchObject({ pack: 'summarizer@1.0.0', nodeId: 'a' })
  expect(provider.requests).toEqual([])
  expect(JSON.parse((await cli('runs', '--json')).out).runs).toEqual([])
})

it('packs D5: with onMisfit: warn the run starts and says so', async () => {
  const { out } = await run('lax', WRONG)
  expect(JSON.parse(out)).toMatchObject({ status: 'completed', warnings: [{ code: 'input_misfit' }] })
})

it('packs D5, newcomer 4b.5: a test sends exactly what a run of one node sends', async () => {
  await run('sum', JSON.stringify(INPUT))
  const asText = ({ role, content }: { role: string; content: unknown }) => [
    role,
    typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join(''),
  ]
  const sent = provider.requests.at(-1)!.body.messages.map(asText)
  await cli('test', '--model', 'openai-compatible:m', '--json')
  const tested = provider.requests.map(({ body }) => body.messages.map(asText))
  expect(sent.map(([role]) => role)).toEqual(['system', 'user'])
  expect(tested.slice(tested.indexOf(sent) + 1).filter(one => JSON.stringify(one) === JSON.stringify(sent)).length).toBeGreaterThan(1)
})

it('packs D5: a reply that does not fit the pack fails the node, with onMisfit: warn it is a warning; both are on record', async () => {
  const { code, out } = await run('sum', JSON.stringify(INPUT))
  const { status, error, runId } = JSON.parse(out)
  expect([code, status, error.code]).toEqual([1, 'failed', 'reply_misfit'])
  expect(error.message).toContain('summarizer@1.0.0: the reply is not JSON')
  const lax = JSON.parse((await run('lax', JSON.stringify(INPUT))).out)
  expect(lax.status).toBe('completed')
  expect((await cli('show', lax.runId)).out).toContain('reply_misfit')
  for (const id of [runId, lax.runId]) {
    for (const level of ['2', '3'])
      expect(JSON.parse((await cli('replay', id, '--level', level, '--json')).out)).toMatchObject({ identical: true })
  }
})

it('newcomer 4b.5: a chat agent can be tested: a reply that is text fits a schema of text', async () => {
  const schema = join(folder, 'schemas/summary.schema.json')
  const { $id } = JSON.parse(readFileSync(schema, 'utf8'))
  writeFileSync(schema, JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', $id, type: 'string' }))
  const pack = join(folder, 'prompts/summarizer/v1.0.0.yaml')
  writeFileSync(pack, readFileSync(pack, 'utf8').replace(/^ {4}expectedOutput:\n(?: {6}.*\n)+/gm, '    expectedOutput: not json\n'))
  const { out } = await cli('test', '--model', 'openai-compatible:m', '--json')
  const { cases, summary } = JSON.parse(out)
  expect(summary.pass, JSON.stringify(cases)).toBeGreaterThan(0)
  expect(JSON.stringify(provider.requests.at(-1)!.body.messages)).not.toContain('Answer with one JSON value')
})
