// Which version a ref means, rule by rule.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { latestOf } from './decide.ts'
import { meantVersion } from './meant.ts'

const version = (of: string, retired = false) => ({ version: of, retired })
const [V1, V2, RC, OLD] = [version('1.0.0'), version('1.1.0'), version('2.0.0-rc.1'), version('0.9.0', true)]
const none = { version: null, label: null }
const labels = (given: Readonly<Record<string, string | null>> = {}) => new Map(Object.entries(given))

describe('a ref means', () => {
  it.each([
    ['the version it names', { ...none, version: '1.0.0' }, [V1, V2], labels({ active: '1.1.0' }), { meant: 'version', row: V1 }],
    ['a retired version that it names', { ...none, version: '0.9.0' }, [V1, OLD], labels(), { meant: 'version', row: OLD }],
    ['nothing where its version is missing', { ...none, version: '3.0.0' }, [V1], labels(), null],
    ['where its label points to', { ...none, label: 'live' }, [V1, V2], labels({ live: '1.0.0' }), { meant: 'label', row: V1 }],
    ['nothing where it has no such label', { ...none, label: 'live' }, [V1], labels({ active: '1.0.0' }), null],
    ['the active version, and not a newer one', none, [V1, V2], labels({ active: '1.0.0' }), { meant: 'active', row: V1 }],
    ['an active pre-release', none, [V1, RC], labels({ active: '2.0.0-rc.1' }), { meant: 'active', row: RC }],
    ['nothing once its label active was removed', none, [V1, V2], labels({ active: null }), null],
    ['the newest release where it never had the label', none, [V1, V2, RC], labels({ live: '1.0.0' }), { meant: 'newest', row: V2 }],
    ['never a retired version that it does not name', none, [OLD], labels(), null],
    ['nothing without versions', none, [], labels(), null],
  ] as const)('%s', (_, ref, versions, given, expected) => {
    expect(meantVersion(ref, versions, given)).toEqual(expected)
  })
})

describe('with a snapshot that has the template, a ref means', () => {
  const snapshot = { versions: [V1, V2], active: '1.0.0' }
  const active = labels({ active: '2.0.0-rc.1', live: '2.0.0-rc.1' })
  it.each([
    ['the version that the registry of the snapshot calls active', none, { meant: 'snapshot', row: V1 }],
    ['the version that it names, from the library', { ...none, version: '2.0.0-rc.1' }, { meant: 'version', row: RC }],
    [
      'the version that it names, from the snapshot where the library does not have it',
      { ...none, version: '1.1.0' },
      { meant: 'version', row: V2 },
    ],
    ['where its label points to in the library', { ...none, label: 'live' }, { meant: 'label', row: RC }],
    ['nothing where the library has no such label', { ...none, label: 'gone' }, null],
  ] as const)('%s', (_, ref, expected) => {
    expect(meantVersion(ref, [RC], active, snapshot)).toEqual(expected)
  })

  it('nothing where the active version of its pack does not have the template', () => {
    expect(meantVersion(none, [RC], active, { versions: [V1], active: '1.1.0' })).toBeNull()
  })
})

const anyVersion = fc.record({
  version: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map(parts => parts.join('.')),
  retired: fc.boolean(),
})

it('a version that is published changes nothing that is active', () => {
  const unique = fc.uniqueArray(anyVersion, { selector: one => one.version, minLength: 2 })
  fc.assert(
    fc.property(unique, ([published, ...before]) => {
      const active = labels({ active: before[0]!.version })
      expect(meantVersion(none, [...before, published!], active)).toEqual(meantVersion(none, before, active))
    }),
  )
})

it('without a label the newest release that is not retired is used', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyVersion, { selector: one => one.version }), versions => {
      const row = latestOf(versions.filter(({ retired }) => !retired))
      expect(meantVersion(none, versions, labels())).toEqual(row === null ? null : { meant: 'newest', row })
    }),
  )
})
