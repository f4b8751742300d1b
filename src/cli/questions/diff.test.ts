// onbook diff: what scripts rely on. Through real processes; more in diff.deep.test.ts, and the pages are told in scripts/stories.deep.test.ts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli } from '../../testing/hosts/run-cli.ts'

const PACKS = ['v1.0.0', 'v1.1.0'].map(version => `examples/newsroom/prompts/writer/${version}.yaml`) as [string, string]

it('prints decisions, what they mean and texts, and ends with 1 where something differs', async () => {
  const [found, same] = await Promise.all([runCli(['diff', ...PACKS, '--json']), runCli(['diff', PACKS[0], PACKS[0], '--json'])])
  expect([found.code, same.code]).toEqual([1, 0])
  expect(JSON.parse(found.out)).toMatchObject({
    of: 'templates',
    a: PACKS[0],
    same: false,
    left: 0,
    decisions: [
      { what: 'pack', name: 'version', a: '1.0.0', b: '1.1.0' },
      { what: 'meta' },
      { what: 'variable', variable: 'houseStyle', a: null },
    ],
    texts: [{ block: 'text', hunks: [{ aStart: 9, bStart: 9 }] }],
    means: [{ bump: 'minor' }, { bump: 'patch' }],
  })
  expect(JSON.parse(same.out)).toMatchObject({ same: true, decisions: [], texts: [] })
})

it('compares files by their bytes, text or not, and a pack with one that has a mistake in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-diff-'))
  const write = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const pack = readFileSync(PACKS[0], 'utf8')
  const pairs = [
    [write('a.bin', Buffer.from([0, 0xfe, 1])), write('b.bin', Buffer.from([0, 0xff, 1]))],
    [PACKS[0], write('bad.yaml', pack.replace(/^version:.*$/m, 'version: nonsense'))],
    [PACKS[0], write('remark.yaml', `# a remark\n${pack}`)],
  ]
  const found = await Promise.all(pairs.map(pair => runCli(['diff', ...pair, '--json'])))
  rmSync(folder, { recursive: true })
  expect(found.map(({ code }) => code)).toEqual([1, 1, 1])
  expect(found.map(({ out }) => JSON.parse(out) as object)).toMatchObject([
    { of: 'files', texts: [{ why: 'no_text' }] },
    { of: 'files', texts: [{ block: 'text' }] },
    { of: 'templates', texts: [{ block: 'text' }] },
  ])
})

it('says what could be compared, and ends with 2', async () => {
  const { code, out, err } = await runCli(['diff', 'desk@1', PACKS[0]])
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('cannot be compared: name two runs (ids or run files), two templates or packs')
})
