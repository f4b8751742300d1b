// Tests the rules for publishing, without a store.
import fc from 'fast-check'
import semver from 'semver'
import { describe, expect, it } from 'vitest'
import { decideLabel, decidePublish, decideRemove, type KnownVersion, newestOf } from './decide.ts'
import type { LibraryTemplate } from './template.ts'

const known = (version: string, more: Partial<KnownVersion> = {}): KnownVersion => ({
  version,
  origin: 'user',
  removed: false,
  retired: false,
  ...more,
})
const template = (version: string): LibraryTemplate => ({ templateId: 'writer', version, kind: 'system', text: '' })
const publish = (version: string, versions: readonly KnownVersion[], mode: 'create' | 'raise' = 'create') => {
  const decided = decidePublish(template(version), versions, { mode, origin: 'user', actor: 'test' })
  return decided.ok ? 'ok' : decided.code
}

describe('publishing', () => {
  it('writes a version once, for ever', () => {
    expect(publish('1.0.0', [])).toBe('ok')
    expect(publish('1.0.0', [known('1.0.0')])).toBe('template_exists')
    expect(publish('1.0.0', [known('1.0.0', { removed: true })])).toBe('template_exists')
    expect(publish('0.9.0', [known('1.0.0')])).toBe('ok')
  })

  it.each([
    ['1.0.0', 'template_exists'],
    ['1.0.0+build', 'version_not_greater'],
    ['1.0.0-rc.1', 'version_not_greater'],
    ['0.99.99', 'version_not_greater'],
    ['1.0.1-rc.1', 'ok'],
    ['1.0.1', 'ok'],
    ['01.0.1', 'template_invalid'],
    ['99999999999999999999.0.0', 'template_invalid'],
    ['2.0.0-a..b', 'template_invalid'],
  ])('raises 1.0.0 to %s: %s', (version, outcome) => {
    expect(publish(version, [known('1.0.0')], 'raise')).toBe(outcome)
  })

  it('raises only what is there', () => {
    expect(publish('2.0.0', [], 'raise')).toBe('prompt_template_not_found')
    expect(publish('2.0.0', [known('1.0.0', { removed: true })], 'raise')).toBe('prompt_template_not_found')
  })

  it.each(['host', 'pack'] as const)('leaves what the %s ships alone', origin => {
    expect(publish('2.0.0', [known('1.0.0', { origin })])).toBe('template_read_only')
    expect(decideRemove('writer', [known('1.0.0', { origin })], { actor: 'test' })).toMatchObject({ ok: false, code: 'template_read_only' })
  })
})

it('takes for newest what SemVer takes for newest, whatever the order', () => {
  const version = fc
    .tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.constantFrom('', '-rc.1', '-rc.2', '-rc.10', '-alpha', '-1'))
    .map(([a, b, c, more]) => `${a}.${b}.${c}${more}`)
  fc.assert(
    fc.property(fc.uniqueArray(version, { minLength: 1 }), versions => {
      expect(newestOf(versions.map(one => known(one)))!.version).toBe(semver.rsort([...versions])[0])
    }),
  )
})

describe('labels', () => {
  const move = (more: object, versions = [known('1.0.0')]) => {
    const request = {
      templateId: 'writer',
      label: 'production',
      from: null,
      to: '1.0.0',
      why: null,
      protected: false,
      mayMoveProtected: false,
    }
    const decided = decideLabel({ ...request, ...more }, versions, 'test')
    return decided.ok ? decided.drafts.length : decided.code
  }

  it('point to what is there', () => {
    expect(move({})).toBe(1)
    expect(move({ to: '2.0.0' })).toBe('prompt_template_not_found')
    expect(move({}, [known('1.0.0', { removed: true })])).toBe('prompt_template_not_found')
  })

  it('are not moved to where they are, nor taken away twice', () => {
    expect(move({ from: '1.0.0' })).toBe(0)
    expect(move({ to: null })).toBe('label_missing')
  })

  it('stay where they are when they are protected', () => {
    expect(move({ protected: true })).toBe('label_protected')
    expect(move({ protected: true, mayMoveProtected: true })).toBe(1)
  })
})
