// Tests that a release with different texts can replay the recorded runs of every release, in a separate process.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { otherRelease } from '../../testing/stories/other-release.ts'

const HISTORIES = readdirSync('fixtures/histories')
  .filter(name => name.endsWith('.pem'))
  .map(name => join('fixtures', 'histories', name.replace(/\.pem$/, '.jsonl')))

it('what every release recorded is identical, whatever ships by now', async () => {
  const cli = otherRelease()
  const replayed = await Promise.all(HISTORIES.map(file => runCli(['replay', file, '--json'], { cli })))
  expect(replayed.map(({ code, out }) => [code, JSON.parse(out).divergences])).toEqual(HISTORIES.map(() => [0, []]))
})

it('other words under the same version are a difference, and it is named', async () => {
  const { code, out } = await runCli(['replay', HISTORIES[0]!, '--json'], { cli: otherRelease({ renumbered: false }) })
  expect(code).toBe(1)
  expect(JSON.parse(out).divergences[0]).toMatchObject({
    point: 'prompt.composed',
    block: 'system',
    template: expect.stringMatching(/^prompt:onbook\.system@/),
    expected: 'one node',
    found: 'a node among others',
  })
})
