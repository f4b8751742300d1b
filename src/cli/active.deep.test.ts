// Tests which version is active, in the steps of a new user: init, publish, bump, publish, activate, back, retire.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const WORKFLOW = 'id: brief\nobjective: Summarise.\nnodes:\n  - id: a\n    config: { systemPromptRef: "prompt:summarizer" }\n'
const SCRIPT = 'replies:\n  - text: |\n      {"summary":"Trams run.","keyPoints":[]}\n'
const RUN = ['--script', 'script.yaml', '--input', '{"title":"Trams","body":"They run."}', '--json']

let cwd: string
const onbook = async (...args: readonly string[]) => {
  const { code, out, err } = await runCli(args, { cwd })
  expect([code, err], args.join(' ')).toEqual([0, ''])
  return out
}
/** The version that the next run gets, and the rule that chose it. */
const versionOfNextRun = async () => {
  const { runId } = JSON.parse(await onbook('run', 'brief', ...RUN))
  const [answer] = JSON.parse(await onbook('why', runId, '--kind', 'system', '--json'))
  const { source, meant, label } = answer.chain.find(({ applied }: { applied: boolean }) => applied)
  return { source, meant, moves: label?.moves.map(({ to }: { to: string }) => to) }
}
const meantBy = (version: string, ...moves: readonly string[]) => ({ source: `prompt:summarizer@${version}`, meant: 'active', moves })

beforeAll(async () => {
  cwd = temporaryFolder(null)
  await onbook('init', 'desk')
  cwd = join(cwd, 'desk')
  writeFileSync(join(cwd, 'script.yaml'), SCRIPT)
})

describe('the active version', () => {
  it('is the first one that is published', async () => {
    expect(await onbook('publish')).toContain('Active: summarizer 1.0.0\n')
    writeFileSync(join(cwd, 'brief.yaml'), WORKFLOW)
    await onbook('run', 'brief.yaml', ...RUN)
    expect(await versionOfNextRun()).toEqual(meantBy('1.0.0', '1.0.0'))
  })

  it('stays when a newer one is published, and publish says so', async () => {
    await onbook('bump', 'summarizer', 'minor')
    expect(await onbook('publish')).toContain('Active: summarizer 1.0.0; not active: 1.1.0\n')
    expect(await versionOfNextRun()).toEqual(meantBy('1.0.0', '1.0.0'))
  })

  it('the regression set says what is not active yet, and what activating it would change', async () => {
    const path = join(cwd, 'prompts/summarizer/v1.1.0.yaml')
    await onbook('bump', 'summarizer', 'minor')
    const next = join(cwd, 'prompts/summarizer/v1.2.0.yaml')
    writeFileSync(next, readFileSync(path, 'utf8').replaceAll('1.1.0', '1.2.0').replace('Summarize one article', 'Summarize one report'))
    const held = JSON.parse(await onbook('replay', '--all', '--against', './', '--workspace', 'desk', '--json'))
    expect(held).toMatchObject({ changed: 0, unreached: [{ templateId: 'summarizer', version: '1.2.0', label: 'active', stays: '1.0.0' }] })
    const moved = await runCli(['replay', '--all', '--against', './', '--workspace', 'desk', '--activate', 'summarizer@1.2.0', '--json'], {
      cwd,
    })
    expect([moved.code, JSON.parse(moved.out)]).toMatchObject([
      1,
      { changed: 3, causes: [{ cause: 'template', from: '1.0.0', to: '1.2.0' }] },
    ])
    rmSync(next)
    rmSync(join(cwd, 'prompts/summarizer/v1.2.0.script.yaml'))
    // A recorded version needs no folder. Both spellings give the same answer.
    const alone = await onbook('replay', '--all', '--label', 'summarizer@active=1.1.0', '--json')
    expect(JSON.parse(alone)).toMatchObject({ against: { moved: ['summarizer@active=1.1.0'] }, changed: 0 })
  })

  it('changes with activate, in the registry and for the next run', async () => {
    expect(await onbook('activate', 'summarizer', '1.1.0', '--why', 'shorter')).toBe(
      'summarizer: 1.0.0 → 1.1.0 is active.\nActive: summarizer 1.1.0\nThe next run uses it, unless a workspace that its agent has applied carries the pack.\n',
    )
    expect(JSON.parse(readFileSync(join(cwd, 'onbook.registry.json'), 'utf8')).agents.summarizer.active).toBe('1.1.0')
    expect(await versionOfNextRun()).toEqual(meantBy('1.1.0', '1.0.0', '1.1.0'))
  })

  it('goes back in one command, also to a version that was never activated by hand', async () => {
    expect(await onbook('activate', 'summarizer', '--back')).toContain('1.1.0 → 1.0.0 is active.')
    expect(await versionOfNextRun()).toEqual(meantBy('1.0.0', '1.0.0', '1.1.0', '1.0.0'))
  })

  it('is never a retired one', async () => {
    await onbook('retire', 'summarizer', '1.1.0')
    const { code, err } = await runCli(['label', 'summarizer', 'active', '1.1.0'], { cwd })
    expect([code, err]).toEqual([2, 'onbook: summarizer@1.1.0 is retired; refs may name it, but it cannot be activated.\n'])
    expect(JSON.parse(await onbook('render', 'prompt:summarizer@1.1.0', '--published', '--lenient', '--json')).ref).toContain('1.1.0')
  })

  it('moves when the registry of a published folder names another', async () => {
    await onbook('bump', 'summarizer', 'patch')
    expect(await onbook('activate', 'summarizer', '1.0.1', '--data', 'elsewhere')).toContain('there is no record at')
    expect(await versionOfNextRun()).toMatchObject({ source: 'prompt:summarizer@1.0.0' })
    expect(await onbook('publish')).toContain('Active: summarizer 1.0.1')
    expect(await versionOfNextRun()).toMatchObject({ source: 'prompt:summarizer@1.0.1', meant: 'active' })
  })

  it('is not moved by activate or publish while its label is protected', async () => {
    await onbook('label', 'summarizer', 'active', '--protect')
    await onbook('bump', 'summarizer@1.0.1', 'patch')
    const { code, err } = await runCli(['activate', 'summarizer', '1.0.2'], { cwd })
    expect([code, err]).toEqual([2, expect.stringContaining('The label active is protected')])
    expect(JSON.parse(readFileSync(join(cwd, 'onbook.registry.json'), 'utf8')).agents.summarizer.active).toBe('1.0.1')
    expect(await onbook('publish')).toContain('Active: summarizer 1.0.1; not active:')
  })
})
