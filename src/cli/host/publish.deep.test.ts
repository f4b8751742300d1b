// Tests onbook publish of agents and workflows, beside the packs.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const WRITER = 'agentId: local.desk.writer\npersona: Writer\nsystemPromptRef: texts/writer.md\n'
const CRITIC = '{ "agentId": "local.desk.critic", "systemPrompt": "I read." }'
const DESK = `id: desk
name: The desk
nodes:
  - { id: writer, agent: local.desk.writer }
  - { id: critic, agent: local.desk.critic }
edges:
  - { from: writer, to: critic }
`
const FILES = {
  'agents/writer.yaml': WRITER,
  'agents/critic.json': CRITIC,
  'agents/texts/writer.md': 'I write.\n',
  'workflows/desk.yaml': DESK,
  'onbook.config.yaml': 'rules: {}\n',
}

interface Published {
  readonly agents: readonly { readonly agentId: string; readonly outcome: string; readonly revision: number; readonly digest: string }[]
  readonly workflows: readonly { readonly workflowId: string; readonly outcome: string; readonly revision: number }[]
}

function desk(files: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder(null, { ...FILES, ...files })
  const run = (...args: string[]) => runCli(args, { cwd })
  const publish = async (...args: string[]) => JSON.parse((await run('publish', ...args, '--json')).out) as Published
  return { cwd, run, publish, write: (path: string, text: string) => writeFileSync(join(cwd, path), text) }
}

describe('a folder with agents and workflows', () => {
  it('is published with what its agents name, and once', async () => {
    const { run, publish, write } = desk()
    const first = await publish()
    expect(first).toMatchObject({
      published: [],
      agents: [
        { agentId: 'local.desk.critic', outcome: 'created', revision: 1 },
        { agentId: 'local.desk.writer', outcome: 'created', revision: 1 },
      ],
      workflows: [{ workflowId: 'desk', outcome: 'created', revision: 1 }],
    })
    const { out } = await run('object', first.agents[1]!.digest)
    expect(JSON.parse(out)).toEqual({ agentId: 'local.desk.writer', persona: 'Writer', systemPrompt: 'I write.\n' })
    write('agents/texts/writer.md', 'I write briefly.\n')
    expect((await run('publish')).out).toBe(
      [
        'agent local.desk.critic: unchanged, revision 1',
        'agent local.desk.writer: replaced, revision 2',
        'workflow desk: unchanged, revision 1',
        'Published 1, 2 there already.',
        '',
      ].join('\n'),
    )
  })

  it('is published in part when parts are named', async () => {
    const { cwd, publish } = desk()
    rmSync(join(cwd, 'onbook.config.yaml'))
    expect(await publish('agents')).toMatchObject({ agents: [{}, {}], workflows: [] })
    expect(await publish('workflows/desk.yaml')).toMatchObject({ agents: [], workflows: [{ outcome: 'created' }] })
  })

  it.each([
    ['an agent that is not valid', { 'agents/writer.yaml': `${WRITER}colour: red\n` }, 'agents/writer.yaml'],
    ['a file that is not there', { 'agents/writer.yaml': WRITER.replace('texts', 'gone') }, 'agents/writer.yaml'],
    ['a file that is no YAML', { 'workflows/desk.yaml': 'id: [' }, 'workflows/desk.yaml'],
    ['two documents with one id', { 'workflows/night.yaml': DESK }, 'workflows/night.yaml'],
    ['an agent that nobody has', { 'workflows/desk.yaml': DESK.replace('desk.critic', 'desk.nobody') }, 'workflows/desk.yaml'],
    ['a pack that is none', { 'prompts/writer/v1.0.0.yaml': 'id: 7\n' }, 'prompts/writer/v1.0.0.yaml'],
  ])('is not published at all for %s', async (_, files, named) => {
    const { cwd, run } = desk(files)
    const { code, err } = await run('publish')
    expect([code, err]).toEqual([1, expect.stringContaining(named)])
    expect(existsSync(join(cwd, '.onbook'))).toBe(false)
  })

  it('refuses what cannot be published also where the rules that would say so are switched off', async () => {
    const off = 'rules: { workflow-valid: off, agent-valid: off }\n'
    const twins = desk({ 'onbook.config.yaml': off, 'workflows/night.yaml': DESK })
    expect((await twins.run('publish')).err).toContain('two documents for the workflow desk')
    const wrong = desk({ 'onbook.config.yaml': off, 'workflows/desk.yaml': 'id: desk\nnodes: []\n' })
    expect((await wrong.run('publish')).err).toContain('workflows/desk.yaml is not a valid workflow')
    expect(JSON.parse((await wrong.run('publish', '--json')).out)).toMatchObject({
      error: 'workflow_invalid',
      details: { problems: [{ pointer: '/nodes' }] },
    })
  })

  it('leaves nothing of its packs behind when a version of the workspace is refused', async () => {
    const { run } = desk()
    expect((await run('publish', '.', '--workspace', 'desk', '--expect', '3')).err).toContain('not at 3')
    expect((await run('streams')).out).not.toContain('workflow/desk')
    const { out } = await run('publish', '.', '--workspace', 'desk')
    expect(out).toContain('workflow desk: created, revision 1\n')
  })

  it('goes on with what was published when the files are gone', async () => {
    const { cwd, run, publish } = desk()
    await publish()
    rmSync(join(cwd, 'workflows'), { recursive: true })
    expect(await publish()).toMatchObject({ workflows: [] })
    expect((await run('events', 'workflow/desk', '--json')).out.trim().split('\n')).toHaveLength(1)
  })
})
