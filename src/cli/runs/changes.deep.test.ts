// Tests an agent that edits files by itself: what the command line and the host show of it, and what remains when the host is killed.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { serveCli } from '../../testing/hosts/serve-cli.ts'

/** The agent is a line of shell. */
const repoWith = (line: string, shell = 'sh'): string =>
  temporaryFolder(null, {
    'onbook.host.yaml': `model: { provider: scribe, model: default }\ncliAgents:\n  scribe:\n    command: ${JSON.stringify([shell, '-c', line])}\n`,
    'flow.yaml': 'id: flow\nobjective: Write.\nnodes: [{ id: writer }]\n',
    story: 'Once.\n',
  })

interface Told {
  readonly changes: readonly { readonly by: string; readonly diff: string; readonly shared: boolean; readonly files: readonly object[] }[]
}

it('what an agent did to the repo is told in its run, and its diff can be applied', async () => {
  const folder = repoWith('cat >/dev/null; echo Twice. >> story; mkdir -p new; echo New. > new/file; echo Done.')
  const at = { cwd: folder }
  const { runId } = JSON.parse((await runCli(['run', 'flow.yaml', '--repo', '.', '--json'], at)).out)

  expect((await runCli(['show', runId], at)).out).toContain(
    'files changed\n  writer, visit 1, step 1: 2 files changed (+2 −0), by the agent itself: new/file, story\n',
  )
  expect((await runCli(['show', runId, '--node', 'writer'], at)).out).toContain('   2 files changed (+2 −0), by the agent itself')
  const { out: diff } = await runCli(['show', runId, '--node', 'writer', '--step', '1', '--diff'], at)
  expect(diff).toContain('@@ -1 +1,2 @@\n Once.\n+Twice.\n')
  execFileSync('git', ['apply', '-R', '-'], {
    cwd: folder,
    input: diff,
    env: { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: join(folder, '..') },
  })
  expect(readFileSync(join(folder, 'story'), 'utf8')).toBe('Once.\n')

  const page = JSON.parse((await runCli(['show', runId, '--node', 'writer', '--diff', '--json'], at)).out)
  expect(page).toMatchObject({ nodeId: 'writer', visit: 1, step: 1, changes: [{ by: 'model', call: null, cut: 0, more: 0, text: diff }] })
  expect(await runCli(['show', runId, '--diff'], at)).toMatchObject({ code: 2 })

  const host = await serveCli(folder)
  try {
    const { items }: { readonly items: readonly Told[] } = (await host.ask('GET', `/v1/runs/${runId}/prompts`)).body
    const [change] = items[0]!.changes
    expect(change).toMatchObject({ by: 'model', shared: false, files: [{ path: 'new/file' }, { path: 'story' }] })
    const headers = { authorization: `Bearer ${readFileSync(join(folder, '.onbook/local.key'), 'utf8').trim()}` }
    expect(await (await fetch(`${host.url}/v1/objects/${change!.diff}`, { headers })).text()).toBe(diff)
    const { events }: { readonly events: readonly { readonly type: string }[] } = (await host.ask('GET', `/v1/runs/${runId}/events/poll`))
      .body
    expect(events.map(({ type }) => type)).toContain('onbook.files.changed')
    expect((await runCli(['show', runId, '--node', 'writer', '--diff'], at)).out).toBe(diff)
  } finally {
    await host.stop()
  }
})

it('a diff can be taken back in a subfolder of a repository, but for what is no text', async () => {
  const folder = repoWith("cat >/dev/null; echo Twice. >> story; printf 'a\\000b' > picture; echo Done.")
  const repo = join(folder, 'desk')
  mkdirSync(repo)
  writeFileSync(join(repo, 'story'), 'Once.\n')
  execFileSync('git', ['init', '-q'], { cwd: folder })
  const at = { cwd: folder }
  const { runId } = JSON.parse((await runCli(['run', 'flow.yaml', '--repo', 'desk', '--json'], at)).out)
  const { out: diff, err } = await runCli(['show', runId, '--node', 'writer', '--diff'], at)
  expect(err).toMatch(/^onbook: picture is not text, so the diff only names it/)
  const takeBack = (more: string) =>
    spawnSync(`git apply -R ${more} --directory="$(git rev-parse --show-prefix)"`, { cwd: repo, input: diff, shell: true }).status
  expect(takeBack('')).not.toBe(0)
  expect(takeBack("--exclude='*picture'")).toBe(0)
  expect(readFileSync(join(repo, 'story'), 'utf8')).toBe('Once.\n')
})

it('nothing is watched where no repo was named', async () => {
  const folder = repoWith('cat >/dev/null; echo Twice. >> story; echo Done.')
  const { runId } = JSON.parse((await runCli(['run', 'flow.yaml', '--json'], { cwd: folder })).out)
  expect((await runCli(['show', runId], { cwd: folder })).out).not.toContain('files changed')
})

it('without git it is said once that nothing is watched, and the run goes on', async () => {
  const folder = repoWith('echo Twice. >> story; echo Done.', '/bin/sh')
  const { code, err, out } = await runCli(['run', 'flow.yaml', '--repo', '.', '--json'], { cwd: folder, env: { PATH: '/nowhere' } })
  expect([code, err]).toEqual([0, 'onbook: Changes of the repo cannot be observed: there is no git on this machine.\n'])
  expect((await runCli(['show', JSON.parse(out).runId], { cwd: folder })).out).not.toMatch(/files changed|changes_unknown/)
})

it('what an agent had done when its host was killed is told by the next one', async () => {
  const folder = repoWith('cat >/dev/null; echo Twice. >> story; while [ ! -e go ]; do sleep 0.05; done; echo Done.')
  const serve = ['--repo', '.']
  const first = await serveCli(folder, ...serve)
  const { runId } = JSON.parse((await runCli(['run', 'flow.yaml', '--detach', '--json'], { cwd: folder })).out)
  await vi.waitFor(() => expect(readFileSync(join(folder, 'story'), 'utf8')).toBe('Once.\nTwice.\n'), 20_000)
  await first.stop('SIGKILL')
  writeFileSync(join(folder, 'go'), '')

  const second = await serveCli(folder, ...serve)
  try {
    const status = async () => JSON.parse((await runCli(['show', runId, '--json'], { cwd: folder })).out)
    await vi.waitFor(async () => expect((await status()).status).toBe('completed'), { timeout: 30_000, interval: 200 })
    const { sent } = await status()
    expect(sent).toMatchObject([{ changes: [{ by: 'model', shared: true, files: [{ path: 'go' }, { path: 'story', added: 2 }] }] }])
  } finally {
    await second.stop()
  }
})
