// Grants: the first that fits, or nothing.
import { expect, it } from 'vitest'
import { type Grant, grantOf } from './grants.ts'

const ask = (grants: readonly Grant[], more: Partial<Parameters<typeof grantOf>[1]> = {}) =>
  grantOf(grants, { tool: 'workspace.read', tenant: 'acme', agent: 'writer', role: null, ...more })

it.each<[string, readonly Grant[], boolean]>([
  ['nothing', [], false],
  ['the tool by name', [{ tools: ['workspace.read'] }], true],
  ['the tool by its beginning', [{ tools: ['workspace.*'] }], true],
  ['every tool', [{ tools: ['*'] }], true],
  ['another tool', [{ tools: ['workspace.rea'] }], false],
  ['the tenant', [{ tools: ['*'], tenants: ['acme'] }], true],
  ['another tenant', [{ tools: ['*'], tenants: ['other'] }], false],
  ['the agent', [{ tools: ['*'], agents: ['wri*'] }], true],
  ['another agent', [{ tools: ['*'], agents: ['critic'] }], false],
  ['a role, and there is none', [{ tools: ['*'], roles: ['*'] }], false],
  ['an empty list of agents', [{ tools: ['*'], agents: [] }], false],
])('with %s', (_, grants, granted) => {
  expect(ask(grants).granted).toBe(granted)
})

it('the first that fits says whether a person has to approve', () => {
  const grants: readonly Grant[] = [{ tools: ['workspace.read'], agents: ['writer'], approval: true }, { tools: ['*'] }]
  expect(ask(grants)).toEqual({ granted: true, reason: 'grant 1 names it', approval: true })
  expect(ask(grants, { agent: 'critic' })).toEqual({ granted: true, reason: 'grant 2 names it', approval: false })
})
