import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Digest, digestText } from '../digest/digest.ts'
import { positionOf } from './place.ts'
import {
  activate,
  emptyRegistry,
  misplacedVersions,
  previousActive,
  printRegistry,
  type Registry,
  type RegistryOutcome,
  readRegistry,
  registeredVersion,
  retire,
} from './registry.ts'

const entry = (version: string, content = version, schemas: Record<string, Digest> = {}) => ({
  path: `prompts/a/v${version}.yaml`,
  digest: digestText(content),
  semantic: digestText(`means ${content}`),
  schemas,
})
const on = (registry: Registry, version: string, content = version, agentId = 'a', schemas: Record<string, Digest> = {}) =>
  activate(registry, { agentId, version, entry: entry(version, content, schemas), at: `at ${version}` })
const done = (outcome: RegistryOutcome): Registry => {
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  return outcome.registry
}
const having = (...versions: string[]) => versions.reduce((registry, version) => done(on(registry, version)), emptyRegistry)
const statuses = (registry: Registry, agentId = 'a') =>
  Object.entries(registry.agents[agentId]!.versions).map(([version, { status }]) => `${version} ${status}`)
const code = (outcome: RegistryOutcome) => (outcome.ok ? 'ok' : outcome.refusal.code)

describe('activate', () => {
  it('registers a version and makes it the active one', () => {
    expect(having('1.0.0')).toEqual({
      agents: {
        a: {
          active: '1.0.0',
          versions: { '1.0.0': { ...entry('1.0.0'), status: 'active' } },
          history: [{ from: null, to: '1.0.0', at: 'at 1.0.0' }],
        },
      },
    })
  })

  it('deprecates the one before, and remembers', () => {
    const registry = having('1.0.0', '1.1.0')
    expect(statuses(registry)).toEqual(['1.0.0 deprecated', '1.1.0 active'])
    expect(registry.agents.a!.history.at(-1)).toEqual({ from: '1.0.0', to: '1.1.0', at: 'at 1.1.0' })
  })

  it('keeps the reason when one is given', () => {
    const outcome = activate(emptyRegistry, { agentId: 'a', version: '1.0.0', entry: entry('1.0.0'), at: 'now', why: 'because' })
    expect(done(outcome).agents.a!.history).toEqual([{ from: null, to: '1.0.0', at: 'now', why: 'because' }])
  })

  it('goes back step by step, never to what it came back from', () => {
    const all = having('1.0.0', '1.1.0', '1.2.0')
    const back = done(on(all, previousActive(all, 'a')!))
    expect(statuses(back)).toEqual(['1.0.0 deprecated', '1.1.0 active', '1.2.0 deprecated'])
    expect(previousActive(back, 'a')).toBe('1.0.0')
    expect(previousActive(done(on(back, '1.0.0')), 'a')).toBeNull()
  })

  it('refuses other content under a registered version', () =>
    expect(code(on(having('1.0.0', '1.1.0'), '1.0.0', 'other'))).toBe('version_changed'))

  it('refuses other schemas under a registered version', () => {
    const first = done(on(emptyRegistry, '1.0.0', 'x', 'a', { 'a:b': digestText('1') }))
    const second = done(on(first, '1.1.0'))
    expect(code(on(second, '1.0.0', 'x', 'a', { 'a:b': digestText('1') }))).toBe('ok')
    const refused = on(second, '1.0.0', 'x', 'a', { 'a:b': digestText('2') })
    expect(refused).toMatchObject({ ok: false, refusal: { message: 'a@1.0.0 is registered with another a:b: bump it instead' } })
  })

  it('refuses the active version', () => expect(code(on(having('1.0.0'), '1.0.0'))).toBe('version_active'))
  it('refuses a retired version', () => {
    const registry = done(retire(having('1.0.0', '1.1.0'), 'a', '1.0.0'))
    expect(code(on(registry, '1.0.0'))).toBe('version_retired')
  })
  it('leaves other agents alone', () => {
    const registry = done(on(having('1.0.0'), '2.0.0', 'x', 'b'))
    expect([statuses(registry, 'a'), statuses(registry, 'b')]).toEqual([['1.0.0 active'], ['2.0.0 active']])
  })
  it('does not change what it was given', () => {
    const before = having('1.0.0')
    const copy = structuredClone(before)
    on(before, '1.1.0')
    expect(before).toEqual(copy)
  })
  it('takes an agent called constructor', () =>
    expect(statuses(done(on(emptyRegistry, '1.0.0', 'x', 'constructor')), 'constructor')).toEqual(['1.0.0 active']))
})

describe('retire', () => {
  it('retires what is not active', () =>
    expect(statuses(done(retire(having('1.0.0', '1.1.0'), 'a', '1.0.0')))).toEqual(['1.0.0 retired', '1.1.0 active']))
  it('refuses the active version', () => expect(code(retire(having('1.0.0'), 'a', '1.0.0'))).toBe('version_active'))
  it.each([
    ['a', '9.9.9'],
    ['b', '1.0.0'],
    ['constructor', 'name'],
  ])('refuses %s@%s, which nobody knows', (agentId, version) =>
    expect(code(retire(having('1.0.0'), agentId, version))).toBe('version_unknown'),
  )
})

describe('previousActive', () => {
  it('is null before there were two', () =>
    expect([
      previousActive(emptyRegistry, 'a'),
      previousActive(having('1.0.0'), 'a'),
      previousActive(emptyRegistry, 'constructor'),
    ]).toEqual([null, null, null]))
  it('is what was active before the present one', () => expect(previousActive(having('1.0.0', '1.1.0', '1.2.0'), 'a')).toBe('1.1.0'))
})

it('finds a registered version, and nothing that objects have by birth', () => {
  expect(registeredVersion(having('1.0.0'), 'a', '1.0.0')?.status).toBe('active')
  expect([registeredVersion(having('1.0.0'), 'a', 'constructor'), registeredVersion(having('1.0.0'), 'constructor', '1.0.0')]).toEqual([
    null,
    null,
  ])
})

const anyStep = fc.record({
  act: fc.constantFrom('activate', 'retire', 'change', 'back'),
  agentId: fc.constantFrom('a', 'b'),
  version: fc.constantFrom('1.0.0', '1.1.0', '2.0.0'),
})
type Step = { act: string; agentId: string; version: string }
function take(registry: Registry, { act, agentId, version }: Step): RegistryOutcome {
  if (act === 'retire') return retire(registry, agentId, version)
  if (act === 'change') return on(registry, version, 'other', agentId)
  return on(registry, act === 'back' ? (previousActive(registry, agentId) ?? version) : version, undefined, agentId)
}

it('has exactly one active version of each agent, remembers every move, and is plain JSON at every step', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30, size: 'max' }), steps => {
      steps.reduce((registry, step) => {
        const outcome = take(registry, step)
        if (!outcome.ok) return registry
        for (const [agentId, { active, versions, history }] of Object.entries(outcome.registry.agents)) {
          expect(Object.keys(versions).filter(version => versions[version]!.status === 'active')).toEqual([active])
          expect(history.at(-1)!.to).toBe(active)
          expect(history.slice(1).map(({ from }) => from)).toEqual(history.slice(0, -1).map(({ to }) => to))
          const before = registry.agents[agentId]
          // Nothing that was registered is ever rewritten.
          for (const [version, { digest }] of Object.entries(before?.versions ?? {})) expect(versions[version]!.digest).toBe(digest)
        }
        expect(readRegistry(printRegistry(outcome.registry))).toEqual({ ok: true, registry: outcome.registry })
        return outcome.registry
      }, emptyRegistry)
    }),
  )
})

describe('readRegistry', () => {
  const version = { ...entry('1.0.0'), status: 'active' }
  const file = (agent: object) =>
    JSON.stringify({
      agents: { a: { active: '1.0.0', versions: { '1.0.0': version }, history: [{ from: null, to: '1.0.0', at: 'then' }], ...agent } },
    })

  it.each([
    ['{', /^not JSON: /],
    ['[]', /^The registry must be an object, not an array$/],
    ['{}', /^The registry has no "agents"$/],
    [file({ active: '1' }), /^"agents\/a\/active" has the wrong form: "1"$/],
    [
      file({ versions: { '1.0.0': { ...version, status: 'gone' } } }),
      /^"agents\/a\/versions\/1.0.0\/status" must be one of active, deprecated, retired$/,
    ],
    [file({ versions: { one: version } }), /^"agents\/a\/versions\/one" has the wrong form: "one"$/],
    [file({ active: '2.0.0' }), /^"agents\/a" names 2.0.0 as active, but its versions say 1.0.0$/],
    [file({ versions: {} }), /^"agents\/a" names 1.0.0 as active, but its versions say none$/],
    [
      file({ versions: { '1.0.0': version, '1.1.0': version } }),
      /^"agents\/a" names 1.0.0 as active, but its versions say 1.0.0 and 1.1.0$/,
    ],
  ])('refuses %s', (text, message) => expect(readRegistry(text)).toMatchObject({ ok: false, message: expect.stringMatching(message) }))

  it.each([
    ['{\n"agents": {\n  "a": 1 } }', '3:8'],
    ['{\n"agents": {\n  "a": {} } }', '3:8'],
    [file({ active: '1' }).replace('"active":', '\n"active": '), '2:11'],
    [file({ active: '2.0.0' }).replace('"active":', '\n"active": '), '2:11'],
    [file({ versions: { '1.0.0': { ...version, status: 'gone' } } }).replace('"gone"', '\n\t"gone"'), '2:2'],
    ['[]', '1:1'],
    ['{"agents":\n}', '2:1'],
  ])('says where %s is wrong', (text, place) => {
    const read = readRegistry(text)
    const { line, column } = positionOf(text, read.ok ? -1 : read.at.start)
    expect(`${line}:${column}`).toBe(place)
  })

  it('reads what it printed', () => expect(readRegistry(printRegistry(emptyRegistry))).toEqual({ ok: true, registry: emptyRegistry }))
})

describe('misplacedVersions', () => {
  const moved = (path: string, retired = false): Registry => {
    const registry = retired ? done(retire(having('1.0.0', '2.0.0'), 'a', '1.0.0')) : having('1.0.0', '2.0.0')
    return JSON.parse(printRegistry(registry).replace('prompts/a/v1.0.0.yaml', path))
  }
  const packs = ['prompts/a/v1.0.0.yaml', 'prompts/a/v2.0.0.yaml', 'prompts/b/v1.0.0.yaml', 'prompts/notes.yaml', 'old/a/v1.0.0.yaml']

  it.each([
    ['prompts/a/v1.0.0.yaml', false, []],
    ['old/a/v1.0.0.yaml', false, []],
    ['prompts/a/v2.0.0.yaml', false, ['but prompts/a/v2.0.0.yaml is the file of a@2.0.0']],
    ['prompts/b/v1.0.0.yaml', false, ['but prompts/b/v1.0.0.yaml is the file of b@1.0.0']],
    ['prompts/notes.yaml', false, ['but prompts/notes.yaml is not the file of a version']],
    ['prompts/a/v1.0.0.yml', false, ['but prompts/a/v1.0.0.yml is gone']],
    ['../a/v1.0.0.yaml', false, ['but ../a/v1.0.0.yaml is gone']],
    ['prompts/a/v1.0.0.yml', true, []],
    ['prompts/a/v2.0.0.yaml', true, ['but prompts/a/v2.0.0.yaml is the file of a@2.0.0']],
  ])('a version at %s (retired: %s)', (path, retired, said) => {
    expect(misplacedVersions(moved(path, retired), one => packs.includes(one))).toEqual(
      said.map(text => ({ message: `a@1.0.0 is registered, ${text}`, pointer: ['agents', 'a', 'versions', '1.0.0', 'path'] })),
    )
  })
})
