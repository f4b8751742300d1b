// Tests a run in planning mode, with a tool of an MCP server and an agent that edits by itself, from outside.
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const SERVER = resolve('src/testing/tools/hostile-mcp-server.mjs')
const policy = (more: string) => `offer: ["desk__*"]\ngrants: [{ tools: ["desk__*"]${more} }]\n`
const folder = temporaryFolder(null, {
  'onbook.host.yaml': `mcpServers:\n  desk: { command: ${process.execPath}, args: [${SERVER}, well] }\ncliAgents:\n  editor: { command: [sh, ../edit.sh] }\n`,
  'onbook.policy.yaml': policy(''),
  'for-planning.yaml': policy(', modes: [planning]'),
  'plan.yaml': 'id: plan\nobjective: Plan.\nmode: planning\nnodes: [{ id: planner }]\n',
  'say.yaml': 'replies:\n  - match: { step: 1 }\n    toolCalls: [{ toolName: desk__say, arguments: { text: hello } }]\n  - Done.\n',
  'edit.sh': 'cat > /dev/null\nmkdir -p docs src\necho x >> docs/plan.md\necho x >> src/code.js\necho Done.\n',
  'repo/README.md': 'A repo.\n',
})
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
const mode = async (...more: readonly string[]) => {
  const { out } = await onbook('run', 'plan.yaml', '--script', 'say.yaml', '--json', ...more)
  const [use] = JSON.parse((await onbook('show', JSON.parse(out).runId, '--json')).out).tools
  return use.verdict.conditions.find(({ condition }: { condition: string }) => condition === 'mode')
}

it('packs D3: planning binds tools of other servers, unless they are adopted as reading or granted for planning', async () => {
  await onbook('tools', 'adopt', 'desk')
  expect(await mode()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('adopt it with --reads') })
  expect(await mode('--policy', 'for-planning.yaml')).toMatchObject({
    outcome: 'passed',
    reason: expect.stringContaining('grant is for planning'),
  })
  // The server must declare it, and a person must confirm it.
  const unhinted = await onbook('tools', 'adopt', 'desk', 'environment', '--reads')
  expect([unhinted.code, unhinted.err]).toEqual([2, expect.stringContaining('does not declare that it only reads')])
  expect((await onbook('tools', 'adopt', 'desk', 'say', '--reads')).out).toContain('as one that only reads')
  expect((await onbook('tools')).out).toMatch(/desk__say +desk +adopted, reads/)
  expect(await mode()).toMatchObject({ outcome: 'passed', reason: expect.stringContaining('it only reads') })
})

it('packs D3: files that an agent changes by itself outside of docs while the run plans are a warning', async () => {
  const { out, err } = await onbook('run', 'plan.yaml', '--provider', 'editor', '--model', 'default', '--repo', 'repo', '--watch')
  expect(err).toContain('changed files outside of docs while the run plans: src/code.js')
  const [run = ''] = /run_\w+/.exec(out + err) ?? []
  const page = await onbook('show', run)
  expect(page.out).toContain('changed files outside of docs while the run plans: src/code.js. (planning_files_changed)')
  expect(page.out).not.toContain('plans: docs/plan.md')
})
