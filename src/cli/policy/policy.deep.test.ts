// Tests the commands about the policy: the file, the record and a host give the same answer, and asking changes nothing.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'

const POLICY = `grants:
  - tools: [read_file]
  - tools: [write_file]
    agents: [writer]
    arguments: { path: ["docs/**"] }
  - tools: [write_file]
    approval: { by: ["cli:ana"], expireAfterMs: 3600000 }
  - tools: [command]
    deny: true
`
const HOST = 'tools: { bind: [read_file, write_file] }\n'

const place = (files: Readonly<Record<string, string>> = {}) => {
  const folder = temporaryFolder(null, { 'onbook.policy.yaml': POLICY, 'onbook.host.yaml': HOST, ...files })
  const onbook = async (...args: string[]) => {
    const { code, out, err } = await runCli([...args, '--json'], { cwd: folder })
    return { code, err, body: out === '' ? null : JSON.parse(out) }
  }
  return { folder, onbook }
}
const WRITE = ['policy', 'explain', 'write_file', '--agent', 'writer']
const args = (path: string) => ['--args', JSON.stringify({ path, content: '' })]

describe('at rest', () => {
  const { folder, onbook } = place()

  it('explains with the line of the grant that decides, and ends with 0 only where the call would be allowed', async () => {
    expect(await onbook(...WRITE, ...args('docs/a.md'))).toMatchObject({
      code: 0,
      body: { decision: 'allowed', grants: [{ grant: 2, line: 3, outcome: 'decides' }, { outcome: 'not_reached' }] },
    })
    expect(await onbook(...WRITE, ...args('docs/../a.md'))).toMatchObject({
      code: 1,
      body: { decision: 'waiting', asks: { by: ['cli:ana'], expireAfterMs: 3_600_000 } },
    })
    expect(await onbook('policy', 'explain', 'command', '--agent', 'writer')).toMatchObject({ code: 1, body: { decision: 'refused' } })
    const { out } = await runCli([...WRITE, ...args('src/a.ts')], { cwd: folder })
    expect(out).toContain('write_file for writer would wait for a person: ask cli:ana, within 1 hour.\n')
    expect(out).toMatch(/grant 2, line 3 +lacks +it needs "path" to be "docs\/\*\*"\n/)
    expect(existsSync(join(folder, '.onbook'))).toBe(false)
  })

  it('shows what is allowed', async () => {
    expect((await onbook('policy', 'show')).body.grants.at(-1)).toEqual({ grant: 4, line: 8, tools: ['command'], deny: true })
    const { out } = await runCli(['policy', 'show'], { cwd: folder })
    expect(out).toMatch(/2 +3 +grants write_file; where path is docs\/\*\* +writer\n/)
  })

  it.each([
    [['policy', 'explain', 'write_file'], 'usage_invalid'],
    [[...WRITE, '--run', 'x'], 'usage_invalid'],
    [[...WRITE, '--args', '[]'], 'usage_invalid'],
    [[...WRITE, '--args', '{'], 'usage_invalid'],
    [[...WRITE, '--mode', 'thinking'], 'usage_invalid'],
    [[...WRITE, '--role', 'nobody'], 'role_template_missing'],
    [[...WRITE, '--run', 'x', '--node', 'a'], 'run_missing'],
    [['policy', 'log'], 'store_missing'],
  ])('%j is refused', async (command, error) => {
    expect(await onbook(...command)).toMatchObject({ code: 2, body: { error } })
  })

  it('a policy that is wrong decides nothing, and check finds the same', async () => {
    const { folder: wrong, onbook: there } = place()
    writeFileSync(join(wrong, 'onbook.policy.yaml'), 'grants:\n  - tool: [a]\n')
    expect(await there('policy', 'show')).toMatchObject({ code: 2, body: { error: 'policy_invalid' } })
    expect((await there('check')).body.findings).toMatchObject([{ rule: 'policy-valid', line: 2, column: 5 }, { rule: 'policy-valid' }])
  })
})

it('a run, and a host, answer as the folder does; what changed is in the log', async () => {
  const { folder, onbook } = place({
    'script.yaml': 'replies:\n  - match: {}\n    text: Done.\n',
    'flow.yaml': 'id: flow\nmode: planning\nnodes: [{ id: a, role: planner }]\n',
  })
  const { body: run } = await onbook('run', 'flow.yaml', '--script', 'script.yaml', '--repo', '.')
  const at = ['policy', 'explain', 'write_file', '--run', run.runId, '--node', 'a', ...args('src/a.ts')]
  const { code, body: rested } = await onbook(...at)
  expect([code, rested.decision, rested.role, rested.mode]).toEqual([1, 'refused', 'planner', 'planning'])
  expect(rested.conditions.find((one: { condition: string }) => one.condition === 'mode').outcome).toBe('failed')

  writeFileSync(join(folder, 'onbook.policy.yaml'), 'grants:\n  - tools: [read_file]\norchestrator: { asks: false }\n')
  const host = await serveCli(folder, '--repo', '.')
  try {
    const { body: served } = await onbook(...at)
    // With --tenant, the folder itself answers while the host runs on it.
    expect(await onbook(...at, '--tenant', 'default')).toMatchObject({ body: served })
    expect((await onbook('policy', 'show')).body.grants).toEqual([{ grant: 1, line: 2, tools: ['read_file'] }])
    writeFileSync(join(folder, 'tried.yaml'), POLICY)
    expect((await onbook('policy', 'show', '--policy', 'tried.yaml')).body.grants).toHaveLength(4)
    expect((await onbook('policy', 'log')).body.changes).toMatchObject([
      { seq: 0, changes: [{ setting: 'grants', from: [] }] },
      { seq: 1, changes: [{ setting: 'grants' }, { setting: 'orchestrator.asks', from: true, to: false }] },
    ])
    const { out } = await runCli(['policy', 'log'], { cwd: folder })
    expect(out).toContain('\n  - {"deny":true,"tools":["command"]}\n')
    expect(out).toContain('\n    {"tools":["read_file"]}\n')
    expect(out).toContain('\n  orchestrator.asks: true → false\n')
  } finally {
    await host.stop()
  }
})
