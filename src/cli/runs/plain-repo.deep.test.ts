// Tests repo tools on a repo that is not a workspace, from outside.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const call = (path: string) => `{ toolName: write_file, arguments: { path: ${path}, content: x } }`

it('packs D4: folders named tools and agents are ordinary in a plain repo, and the verdict refuses what Onbook would read', async () => {
  const folder = temporaryFolder(null, {
    'repo/README.md': 'A repo.\n',
    'work.yaml': 'id: work\nobjective: Work.\nnodes: [{ id: worker }]\n',
    'script.yaml': `replies:\n  - match: { step: 1 }\n    toolCalls: [${['tools/build.py', 'agents/bot.py', 'agents/evil.yaml', 'agent.workspace.json'].map(call).join(', ')}]\n  - Done.\n`,
    'onbook.host.yaml': 'tools: { bind: [write_file] }\n',
    'onbook.policy.yaml': 'offer: [write_file]\ngrants: [{ tools: [write_file] }]\n',
  })
  const run = await runCli(['run', 'work.yaml', '--script', 'script.yaml', '--repo', 'repo', '--json'], { cwd: folder })
  const { out } = await runCli(['show', JSON.parse(run.out).runId, '--json'], { cwd: folder })
  const { tools } = JSON.parse(out) as { tools: { verdict: { decision: string; conditions: { outcome: string; reason: string }[] } }[] }
  expect(tools.map(({ verdict }) => verdict.decision)).toEqual(['allowed', 'allowed', 'refused', 'refused'])
  expect(tools[2]!.verdict.conditions.find(({ outcome }) => outcome === 'failed')!.reason).toContain(
    'No tool may change agents/evil.yaml: it is protected, because Onbook reads there',
  )
  expect(['tools/build.py', 'agents/bot.py', 'agents/evil.yaml'].map(path => existsSync(join(folder, 'repo', path)))).toEqual([
    true,
    true,
    false,
  ])
})
