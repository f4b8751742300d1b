// onbook prompt list, show, rollback and label --back, from outside.
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
  for (const version of ['1.0.0', '1.1.0']) await onbook('prompt', 'label', 'summarizer', 'production', version)
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
  expect((await onbook('prompt', 'rollback', 'summarizer', 'production', '--why', 'too short')).code).toBe(0)
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
