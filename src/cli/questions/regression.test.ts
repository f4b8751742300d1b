// Tests onbook replay --against for scripts and CI: one answer from the record, and refusals. The deep suite and the story test have the rest.
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const folder = temporaryFolder('examples/why')
const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })

it('a folder is held against all runs of a record, and only where there is one', async () => {
  const absent = await onbook('replay', '--all', '--against', './')
  expect([absent.code, absent.err]).toEqual([2, expect.stringContaining('There is no record')])
  await onbook('publish', '.')
  const nothing = await onbook('replay', '--all', '--against', './')
  expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('no recorded run to compare')])
})

describe('what is refused', () => {
  it.each([
    [['--all'], '--all belongs to --against'],
    [['--against', 'desk@1'], 'name runs or run files, or all of them with --all'],
    [['run_1', '--all', '--against', 'desk@1'], 'name runs or run files, or all of them with --all'],
    [['run_1', '--against', 'desk@1', '--limit', '3'], 'belong to --all'],
    [['run_0123456789abcdefghjkmnpq', '--against', 'desk@1', '--url', 'http://127.0.0.1:1'], 'held against all of its runs'],
    [['--all', '--against', 'desk@one'], 'is not a version'],
    [['--all', '--against', './nowhere'], './nowhere'],
    [['run_1', 'run_2'], 'name one run'],
  ])('%j', async (args, message) => {
    const { code, out, err } = await onbook('replay', ...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
  })
})
