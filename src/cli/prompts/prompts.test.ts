// Tests onbook prompt list, show, rollback and label --back from outside.
import { execFileSync } from 'node:child_process'
import { beforeAll, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const cwd = temporaryFolder('scaffold')
const onbook = (...args: string[]) => runCli(args, { cwd })
const json = async (...args: string[]) => JSON.parse((await onbook(...args, '--json')).out)
const production = async () => (await json('prompt', 'label', 'summarizer', 'production')).labels[0]

beforeAll(async () => {
  await onbook('publish')
  await onbook('prompt', 'bump', 'summarizer', 'minor')
  await onbook('publish')
  await onbook('prompt', 'label', 'summarizer', 'production', '1.0.0', '--new')
  await onbook('prompt', 'label', 'summarizer', 'production', '1.1.0')
}, 30_000)

it('prompt list has the newest version and the labels of each prompt', async () => {
  const { prompts } = await json('prompt')
  expect(prompts.find(({ templateId }: { templateId: string }) => templateId === 'summarizer')).toMatchObject({
    version: '1.1.0',
    kind: 'system',
    labels: [
      { label: 'active', version: '1.0.0' },
      { label: 'production', version: '1.1.0' },
    ],
  })
  expect((await onbook('prompt', 'list')).out).toMatch(/^summarizer +1\.1\.0 +system +active 1\.0\.0, production 1\.1\.0/m)
})

it('prompt show has the text of the version that a ref leads to', async () => {
  expect(await json('prompt', 'show', 'summarizer@production')).toMatchObject({ templateId: 'summarizer', version: '1.1.0' })
  const { out } = await onbook('prompt', 'show', 'summarizer')
  expect(out).toMatch(/^summarizer@1\.0\.0 {2}system/)
  expect(out).toContain('## OBJECTIVE')
  expect((await onbook('prompt', 'show', 'nothing')).code).toBe(2)
})

it('prompt rollback moves a label back once, label --back does the same, and there is nothing before the first', async () => {
  expect((await onbook('prompt', 'rollback', 'summarizer', 'production', '-m', 'too short')).code).toBe(0)
  expect(await production()).toMatchObject({ version: '1.0.0', why: 'too short' })
  const first = await onbook('prompt', 'label', 'summarizer', 'production', '--back')
  expect([first.code, first.err]).toEqual([1, expect.stringContaining('no earlier version to go back to')])
  await onbook('prompt', 'label', 'summarizer', 'production', '1.1.0')
  await onbook('label', 'summarizer', 'production', '--back')
  expect(await production()).toMatchObject({ version: '1.0.0' })
})

it('prompt rollback of a pack activates the version before', async () => {
  await onbook('prompt', 'activate', 'summarizer', '1.1.0')
  expect(await json('prompt', 'rollback', 'summarizer')).toMatchObject({ from: '1.1.0', to: '1.0.0' })
})

it('a label that no prompt has yet needs --new; a mistyped label or prompt gets a suggestion', async () => {
  const label = await onbook('label', 'summarizer', 'prodcution', '1.0.0')
  expect([label.code, label.err]).toEqual([2, expect.stringMatching(/Did you mean production\?.*--new/)])
  expect((await onbook('label', 'summarizer', 'staging', '1.0.0', '--new')).code).toBe(0)
  expect((await onbook('prompt', 'show', 'sumarizer')).err).toContain('the nearest name is summarizer')
})

it('who acts, why, and the commit of the checkout are on record; the flags of earlier releases work', async () => {
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' })
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  await onbook('prompt', 'label', 'summarizer', 'staging', '1.1.0', '--actor', 'ci:deploy', '-m', 'by hand')
  await runCli(['label', 'summarizer', 'staging', '1.0.0', '--why', 'as before'], { cwd, env: { ONBOOK_ACTOR: 'ci:nightly' } })
  const moves = (await onbook('store', 'events', 'library/onbook', '--json')).out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .slice(-2)
  const commit = git('rev-parse', 'HEAD').trim()
  expect(moves).toMatchObject([
    { actor: 'ci:deploy', payload: { why: 'by hand', commit } },
    { actor: 'ci:nightly', payload: { why: 'as before', commit } },
  ])
})
