// Tests the warnings at the start of a run from outside: no setting is ignored silently.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'

const ONE = 'id: one\nobjective: Help.\nnodes: [{ id: a }]\n'
const SCRIPT = 'replies:\n  - text: Done.\n'

it('newcomer 4b.2: a label that does not exist is named with the template, its versions and the command that sets it', async () => {
  const folder = temporaryFolder('examples/newsroom', {
    'workflows/one.yaml': 'id: one\nnodes: [{ id: a, systemPromptRef: "prompt:writer@prodction" }]\n',
    'script.yaml': SCRIPT,
  })
  const { code, out } = await runCli(['run', 'workflows/one.yaml', '--script', 'script.yaml', '--json'], { cwd: folder })
  const { error, warnings } = JSON.parse(out)
  const reason = 'writer has no label prodction (versions: 1.0.0, 1.1.0; labels: active). Set it: onbook label writer prodction 1.1.0'
  expect([code, warnings, error.code]).toEqual([1, [{ code: 'label_missing', message: reason }], 'prompt_template_not_found'])
  expect(error.message).toContain(reason)
})

it('newcomer 4b.3: offered tools that nobody adopted are named in the output and on record', async () => {
  const folder = temporaryFolder(null, {
    'workflows/one.yaml': ONE,
    'script.yaml': SCRIPT,
    'onbook.host.yaml': 'mcpServers:\n  shop: { command: node, args: [none.mjs] }\n',
    'onbook.policy.yaml': 'offer: ["shop__*", workspace.read]\n',
  })
  const { err } = await runCli(['run', 'workflows/one.yaml', '--script', 'script.yaml'], { cwd: folder })
  const message =
    'The policy offers shop__*, but no such tool of server shop is adopted: agents do not see it. Adopt: onbook tools adopt shop'
  expect(err).toContain(`warning: ${message}\n`)
  const { out } = await runCli(['runs', '--json'], { cwd: folder })
  const events = await runCli(['events', `run/${JSON.parse(out).runs[0].runId}`, '--json'], { cwd: folder })
  expect(events.out).toContain(JSON.stringify({ warnings: [{ code: 'tools_unadopted', message }] }).slice(1, -1))
})

it('newcomer §8.12: a host whose policy file was changed since says so with every run it starts', async () => {
  const folder = temporaryFolder(null, { 'workflows/one.yaml': ONE, 'script.yaml': SCRIPT, 'onbook.policy.yaml': 'offer: []\n' })
  await runCli(['publish'], { cwd: folder })
  const host = await serveCli(folder, '--script', 'script.yaml')
  try {
    const start = async () => (await host.ask('POST', '/v1/runs', { workflowId: 'one' })).body as { warnings?: readonly { code: string }[] }
    expect((await start()).warnings).toBeUndefined()
    writeFileSync(join(folder, 'onbook.policy.yaml'), 'offer: [workspace.read]\n')
    expect((await start()).warnings).toMatchObject([{ code: 'policy_outdated' }])
    const { out } = await runCli(['run', 'one', '--detach', '--json'], { cwd: folder })
    expect(JSON.parse(out).warnings).toMatchObject([{ code: 'policy_outdated' }])
  } finally {
    await host.stop()
  }
})
