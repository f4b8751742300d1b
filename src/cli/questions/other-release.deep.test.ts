// Tests runs that one release began and another continued, and replays of recorded histories as runs: two releases that ship different texts, in
// separate processes, on one folder.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PromptRecord } from '../../core/turn/events.ts'
import { type CliOptions, runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { otherRelease } from '../../testing/stories/other-release.ts'

const ASK = '{ toolName: request_implementation, arguments: { reason: The plan is ready. } }'
const FILES = {
  'plan.yaml': 'id: plan\nobjective: Plan it.\nmode: planning\norchestration: interactive\nnodes: [{ id: planner, role: investigator }]\n',
  'script.yaml': `replies:\n  - match: { step: 1 }\n    toolCalls: [${ASK}]\n  - match: {}\n    text: I wait.\n`,
}
const RELEASES = ['this', 'other'] as const
type Release = (typeof RELEASES)[number]
let other = ''
beforeAll(() => {
  other = otherRelease()
})

async function ask(release: Release, args: readonly string[], options: CliOptions = {}) {
  const { code, out, err } = await runCli([...args, '--json'], { ...options, ...(release === 'this' ? {} : { cli: other }) })
  if (out === '') throw new Error(err)
  return { code, body: JSON.parse(out) }
}

describe.each([
  ['this', 'other'],
  ['other', 'this'],
] as const)('a run that %s release began, and the %s one went on with', (first, second) => {
  const cwd = temporaryFolder(null, FILES)
  let runId = ''
  beforeAll(async () => {
    runId = (await ask(first, ['run', 'plan.yaml', '--script', 'script.yaml'], { cwd })).body.runId
    const [{ approval }] = (await ask(first, ['approvals'], { cwd })).body.approvals
    await ask(second, ['approvals', 'approve', approval, '--script', 'script.yaml'], { cwd })
    await ask(second, ['export', runId, '--output', 'run.jsonl'], { cwd })
  })

  it('is told in every step what ships by then, and the record says which', async () => {
    const { out } = await runCli(['events', `run/${runId}`, '--json'], { cwd })
    const steps = out
      .split('\n')
      .filter(line => line.includes('"type":"step.started"'))
      .map(line => JSON.parse(line).payload.prompt as PromptRecord)
      .map(({ mode, templates }) => [mode, templates.find(({ part }) => part === 'contract')!.ref.endsWith('@9.0.0')])
    const [before, after] = [first === 'other', second === 'other']
    expect(steps).toEqual([
      ['planning', before],
      ['planning', before],
      ['implementation', after],
    ])
  })

  it.each(RELEASES)('is identical for %s release at levels 2 and 3, in the folder and in a run file', async release => {
    for (const run of [runId, 'run.jsonl'])
      for (const level of ['2', '3']) {
        const { code, body } = await ask(release, ['replay', run, '--level', level], { cwd })
        expect([run, level, code, body.divergences, body.prompts]).toEqual([run, level, 0, [], 3])
      }
  })

  it.each(RELEASES)('%s release says of both that they ship with Onbook', async release => {
    const { body } = await ask(release, ['blame', 'run.jsonl', '--step', '1'], { cwd })
    const text = JSON.stringify(body)
    expect(text).toContain('it ships with Onbook, for planning')
    expect(text).not.toContain('the host’s own')
  })
})

const HISTORIES = readdirSync('fixtures/histories').filter(name => name.endsWith('.pem'))

it.each(HISTORIES)('%s: made again as a run of its own it is identical, whatever ships by now', async name => {
  const { code, body } = await ask('other', ['replay', `fixtures/histories/${name.replace(/\.pem$/, '.jsonl')}`, '--level', '3'])
  expect([code, body.divergences]).toEqual([0, []])
})

describe('a proposal', () => {
  const INDEX = {
    schema_version: 1,
    prompt_packs: { desk: 'prompts/packs/desk.json' },
    tool_catalogs: { workshop: 'tools/catalogs/workshop.json' },
    defaults: { prompt_pack: 'desk', tool_catalog: 'workshop' },
  }
  const cwd = temporaryFolder(null)
  beforeAll(async () => {
    for (const name of ['desk', 'branch']) {
      cpSync('examples/why', join(cwd, name), { recursive: true })
      cpSync('scripts/history/workshop/tools', join(cwd, name, 'tools'), { recursive: true })
      writeFileSync(join(cwd, name, 'agent.workspace.json'), JSON.stringify(INDEX))
    }
    const critic = join(cwd, 'branch', 'agents', 'critic.yaml')
    writeFileSync(critic, readFileSync(critic, 'utf8').replace('@1.0.0', '@1.1.0'))
    for (const line of [
      'publish desk --workspace desk',
      'label editorial-house-style production 1.1.0 --new',
      'sessions create desk --provider scripted --model small',
      'sync desk --workspace desk',
      'apply desk --when immediate_if_idle',
      'run desk/workflows/story.yaml --script desk/script.yaml --mode planning',
    ])
      expect([line, (await ask('other', line.split(' '), { cwd })).code]).toEqual([line, 0])
  })

  it.each(RELEASES)('changes for %s release what it says otherwise, and nothing that ships', async release => {
    const { body } = await ask(release, ['replay', '--all', '--against', './branch', '--workspace', 'desk'], { cwd })
    expect(body).toMatchObject({ runs: 1, prompts: 3, changed: 1, unchanged: 2, failing: 0, unsound: 0 })
    expect((body.causes as { file: string }[]).map(({ file }) => file)).toEqual(['agents/critic.yaml'])
  })
})
