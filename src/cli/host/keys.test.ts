// Tests onbook key list from outside: the scopes and workspaces of a key, and how they are listed.
import { expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const data = temporaryFolder(null)
const keys = (...args: string[]) => runCli(['keys', ...args, '--data', data])

it('openwop D7, D27: --scopes all works; metrics of all tenants come only when they are named', async () => {
  const made = [
    await keys('create', '--tenant', 't', '--json'),
    await keys('create', '--tenant', 't', '--scopes', 'all', '--json'),
    await keys('create', '--tenant', 't', '--scopes', 'all,metrics:read', '--workspaces', 'w1', '--json'),
  ]
  expect(made.map(({ code, err }) => [code, err])).toEqual([0, 0, 0].map(code => [code, '']))
  const ids: string[] = made.map(({ out }) => JSON.parse(out).id)
  const listed: { id: string; scopes: string[] }[] = JSON.parse((await keys('list', '--json')).out).keys
  const scopes = ids.map(id => listed.find(one => one.id === id)!.scopes)
  expect(scopes[0]).toEqual(scopes[1])
  expect(scopes.map(all => [all.includes('prompts:write'), all.includes('metrics:read')])).toEqual([
    [true, false],
    [true, false],
    [true, true],
  ])
  const { out } = await keys('list')
  expect(out.split('\n').filter(line => line.includes('all that exist'))).toHaveLength(2)
  expect(out).toMatch(/ w1 /)
})
