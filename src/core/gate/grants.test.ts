// Grants: the first that fits, or nothing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyGrant, anyGrants, anyQuestion } from '../../testing/arbitraries/any-grants.ts'
import type { Json } from '../digest/digest.ts'
import { askingOf, type Grant, type GrantQuestion, grantOf, grantOfSome, isGrantedToSome, lackOf } from './grants.ts'

const WRITER: GrantQuestion = { tool: 'workspace.read', tenant: 'acme', agent: 'writer', role: null, arguments: {} }
const ask = (grants: readonly Grant[], more: Partial<GrantQuestion> = {}) => grantOf(grants, { ...WRITER, ...more })

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
  ['a denial before it', [{ tools: ['workspace.*'], deny: true }, { tools: ['*'] }], false],
  ['a denial of somebody else before it', [{ tools: ['*'], agents: ['critic'], deny: true }, { tools: ['*'] }], true],
  ['a denial after it', [{ tools: ['*'] }, { tools: ['*'], deny: true }], true],
])('with %s', (_, grants, granted) => {
  expect(ask(grants).granted).toBe(granted)
})

it('the first that fits says whether a person has to approve, who, and for how long they are asked', () => {
  const grants: readonly Grant[] = [
    { tools: ['workspace.read'], agents: ['writer'], approval: true },
    { tools: ['*'], agents: ['critic'], approval: { by: ['cli:ana'], expireAfterMs: 60_000 } },
    { tools: ['*'] },
  ]
  expect(ask(grants)).toEqual({ granted: true, reason: 'grant 1 names it', approval: { by: null, expireAfterMs: null } })
  expect(ask(grants, { agent: 'critic' }).approval).toEqual({ by: ['cli:ana'], expireAfterMs: 60_000 })
  expect(ask(grants, { agent: 'editor' })).toEqual({ granted: true, reason: 'grant 3 names it', approval: null })
})

describe('a grant that says something of arguments', () => {
  const docs: Grant = { tools: ['write_file'], arguments: { path: ['docs/**'], mode: ['append'] } }
  const question = { tool: 'write_file', arguments: { path: 'docs/a.md', mode: 'append' } }

  it('needs all of them to fit, and else is as if it were not there', () => {
    expect(ask([docs], question).granted).toBe(true)
    const wrong = { ...question, arguments: { path: 'src/a.ts', mode: 'append' } }
    expect(ask([docs], wrong)).toEqual({
      granted: false,
      reason: 'grant 1 names it, but its argument "path" does not fit',
      approval: null,
    })
    expect(ask([docs, { tools: ['write_file'], approval: true }], wrong).reason).toBe('grant 2 names it')
    expect(ask([docs], { ...question, arguments: { path: 'docs/a.md' } }).reason).toContain('"mode"')
  })

  it('that names somebody else is not what its arguments failed on', () => {
    expect(ask([{ ...docs, agents: ['critic'] }], { ...question, arguments: {} }).reason).toBe('no grant names write_file for writer')
  })

  it.each<[Json]>([['docs/../src/a'], ['/docs/a'], ['docs\\a'], ['DOCS/a'], [['docs/a']], [{ path: 'docs/a' }], [7], [null]])(
    'does not take %j for a file of the docs',
    path => {
      expect(ask([docs], { ...question, arguments: { path, mode: 'append' } }).granted).toBe(false)
    },
  )

  it('grants no command that its list does not have', () => {
    const listed: Grant = { tools: ['command'], arguments: { cmd: ['npm test'] } }
    for (const cmd of ['npm test; rm x', 'npm test -- -u', 'rm x'])
      expect(ask([listed], { tool: 'command', arguments: { cmd } }).granted).toBe(false)
  })

  it('grants a command in the root alone, unless it says where', () => {
    const says = (rules: Grant['arguments'], cwd: Json) =>
      ask([{ tools: ['command'], arguments: { cmd: ['npm test'], ...rules } }], { tool: 'command', arguments: { cmd: 'npm test', cwd } })
    expect(says({}, '.').granted).toBe(true)
    expect(says({}, 'docs').reason).toContain('"cwd"')
    expect(says({ cwd: ['docs/**'] }, 'docs/a').granted).toBe(true)
  })

  it('can deny, and then takes what it cannot tell', () => {
    const grants: readonly Grant[] = [{ tools: ['*'], arguments: { path: ['keys/**'] }, deny: true }, { tools: ['*'] }]
    const says = (path: Json) => ask(grants, { tool: 'read_file', arguments: { path } }).reason
    for (const path of ['keys/a', './keys//a', 'keys', 'KEYS/a', 'docs/../keys/a', '/srv/keys/a', 'docs\\..\\keys', ['keys/a'], {}])
      expect(says(path)).toBe('grant 1 denies it')
    for (const path of ['docs/a', 'keysmith/a', ' docs/a', 7, null]) expect(says(path)).toBe('grant 2 names it')
    expect(ask(grants, { arguments: {} }).reason).toBe('grant 2 names it')
  })

  it.each<[string, Grant['arguments'], Json]>([
    ['a name with a dot in it', { 'user.name': ['root'] }, { 'user.name': 'root' }],
    ['a list on the way', { 'files.path': ['secrets/**'] }, { files: [{ path: 'secrets/x' }] }],
    ['a number for a text', { port: ['22'] }, { port: 22 }],
    ['a text for a number', { port: [22] }, { port: '22' }],
    ['a blank that whoever reads it leaves out', { to: ['b'] }, { to: ' b' }],
  ])('that denies takes, and that grants does not: %s', (_, rules = {}, given) => {
    const grant = { tools: ['*'], arguments: rules }
    expect(ask([{ ...grant, deny: true }, { tools: ['*'] }], { arguments: given }).reason).toBe('grant 1 denies it')
    expect(ask([grant], { arguments: given }).granted).toBe(false)
  })

  it('is granted for some, before anything is called', () => {
    const prospect = { tool: 'write_file', tenant: 'acme', agent: 'writer', role: null }
    expect(grantOfSome([docs], prospect)).toEqual({ granted: true, reason: 'grant 1 names it, for some arguments', approval: null })
    expect(grantOfSome([{ ...docs, deny: true }, { tools: ['*'] }], prospect).reason).toBe('grant 2 names it')
    expect(grantOfSome([{ tools: ['*'], deny: true }, docs], prospect).granted).toBe(false)
  })
})

const RUNS = { numRuns: 1_000 }

describe('whatever the policy', () => {
  it('another denial, wherever it is put, grants nothing more and frees nothing of a person', () => {
    fc.assert(
      fc.property(anyGrants, anyGrant, fc.nat(5), anyQuestion, (grants, denial, at, question) => {
        const before = grantOf(grants, question)
        const after = grantOf(grants.toSpliced(at, 0, { ...denial, deny: true }), question)
        if (after.granted) expect(after.approval).toEqual(before.approval)
        if (!before.granted) expect(after.granted).toBe(false)
      }),
      RUNS,
    )
  })

  it('a narrower grant grants nothing more, and frees nothing of a person unless it asked for one itself', () => {
    fc.assert(
      fc.property(anyGrants, fc.nat(4), fc.nat(), anyQuestion, (grants, at, way, question) => {
        const grant = grants[at]
        if (grant === undefined || grant.deny === true) return
        const ways = narrowings(grant)
        const [before, after] = [grantOf(grants, question), grantOf(grants.with(at, ways[way % ways.length]!), question)]
        if (!before.granted) expect(after.granted).toBe(false)
        if (before.approval !== null && askingOf(grant.approval) === null && after.granted) expect(after.approval).toEqual(before.approval)
      }),
      RUNS,
    )
  })

  it('it decides as if the grants before the one that fits were not there', () => {
    fc.assert(
      fc.property(anyGrants, anyQuestion, (grants, question) => {
        const at = grants.findIndex(grant => lackOf(grant, question) === null)
        const { granted, approval } = grantOf(grants, question)
        expect(granted).toBe(at >= 0 && grants[at]!.deny !== true)
        expect(approval).toEqual(granted ? askingOf(grants[at]!.approval) : null)
      }),
      RUNS,
    )
  })
})

/** Each takes something away and adds nothing. */
const narrowings = (grant: Grant): readonly Grant[] => [
  { ...grant, tools: grant.tools.slice(1) },
  { ...grant, tenants: grant.tenants?.slice(1) ?? ['a'] },
  { ...grant, agents: grant.agents?.slice(1) ?? ['a*'] },
  { ...grant, roles: grant.roles?.slice(1) ?? ['b'] },
  { ...grant, arguments: { ...grant.arguments, w: ['docs/*'] } },
  { ...grant, arguments: { x: ['docs/*'], ...grant.arguments } },
]

it.each<[string, readonly Grant[], toAny: boolean, toWriter: boolean]>([
  ['nothing', [], false, false],
  ['another agent', [{ tools: ['*'], agents: ['critic'] }], true, false],
  ['a role', [{ tools: ['*'], roles: ['planner'] }], true, true],
  ['a denial of all before it', [{ tools: ['*'], deny: true }, { tools: ['*'] }], false, false],
  ['a denial of the agent before it', [{ tools: ['*'], agents: ['writer'], deny: true }, { tools: ['*'] }], true, false],
  ['a denial of a role before it', [{ tools: ['*'], roles: ['planner'], deny: true }, { tools: ['*'] }], true, true],
  ['another tenant', [{ tools: ['*'], tenants: ['other'] }], false, false],
])('granted to some, with %s', (_, grants, toAny, toWriter) => {
  expect([null, 'writer'].map(agent => isGrantedToSome(grants, 'workspace.read', 'acme', agent))).toEqual([toAny, toWriter])
})
