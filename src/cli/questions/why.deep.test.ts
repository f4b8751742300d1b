// Tests onbook why in real processes: the contract with scripts, files that were never run, and refusals. scripts/stories.deep.test.ts has the pages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const place = () => {
  const folder = temporaryFolder('examples/why')
  const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
  const json = async (...args: readonly string[]) => {
    const { code, out, err } = await onbook(...args, '--json')
    return { code, body: out === '' ? err : JSON.parse(out) }
  }
  return { folder, onbook, json }
}
const WORKFLOW = 'workflows/story.yaml'
type Entry = { readonly layer: string; readonly applied: boolean; readonly source?: string; readonly code: string }
const appliedIn = (chain: readonly Entry[]) => chain.find(({ applied }) => applied)?.layer

describe('files on disk', () => {
  it('are answered for without a record, and none is made', async () => {
    const { folder, json } = place()
    const { code, body } = await json('why', '--edit', WORKFLOW, '--kind', 'system')
    expect(
      body.map(({ nodeId, resolved, chain }: { nodeId: string; resolved: string; chain: Entry[] }) => [nodeId, resolved, appliedIn(chain)]),
    ).toEqual([
      ['writer', 'prompt:experimental-writer@2.0.0', 'node'],
      ['critic', 'prompt:editorial-house-style@1.0.0', 'agent-overrides'],
      ['editor', null, undefined],
    ])
    // The label does not exist yet: a run would be refused.
    expect([code, body[2].chain[3].code]).toEqual([1, 'prompt_template_not_found'])
    expect(existsSync(join(folder, '.onbook'))).toBe(false)
  })

  it('answer what a run of them then says, layer by layer', async () => {
    const { folder, onbook, json } = place()
    await onbook('publish', '.')
    await onbook('label', 'editorial-house-style', 'production', '1.1.0', '--new')
    // An edit after the publication counts, and the run publishes it.
    const path = join(folder, WORKFLOW)
    writeFileSync(path, readFileSync(path, 'utf8').replace('systemPromptRef: "prompt:experimental-writer@2.0.0"', 'systemPromptRef: ""'))
    const edited = await json('why', '--edit', WORKFLOW)
    const { body: ran } = await json('run', WORKFLOW, '--provider', 'scripted', '--model', 'small', '--script', 'script.yaml')
    expect(ran.status).toBe('completed')
    const { code, body } = await json('why', ran.runId)
    const choices = body.map(({ visit: _, sequence: __, at: ___, active: ____, ...choice }: Record<string, unknown>) => choice)
    expect([edited.code, code]).toEqual([0, 0])
    expect(edited.body).toEqual(choices)
    expect(body).toHaveLength(12)
    // A run file gives the same answer as the record, except for who published agents and workflows.
    await onbook('export', ran.runId, '--output', 'run.jsonl')
    expect(body[0].chain[3]).toMatchObject({ published: { stream: 'library/onbook' }, definition: { stream: 'agent/local.desk.writer' } })
    const without = (text: string) => JSON.parse(text, (key, value) => (key === 'definition' ? undefined : value))
    expect((await json('why', 'run.jsonl')).body).toEqual(without(JSON.stringify(body)))
    expect(appliedIn(body[0].chain)).toBe('agent-overrides')
  })
})

describe('what is refused', () => {
  const { onbook } = place()
  it.each([
    [['why'], 'name a run, or a file with --edit'],
    [['why', 'run_1', '--edit', WORKFLOW], 'name a run, or a file with --edit'],
    [['why', '--edit', WORKFLOW, '--visit', '1'], '--visit belongs to a run'],
    [['why', '--edit', WORKFLOW, '--kind', 'systems'], '--kind must be one of system, few-shot, user, schema-hint'],
    [['why', '--edit', WORKFLOW, '--node', 'nobody'], 'Workflow story has no node nobody'],
    [['why', '--edit', 'nowhere.yaml'], 'nowhere.yaml'],
  ])('%j', async (args, message) => {
    const { code, out, err } = await onbook(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
  })
})
