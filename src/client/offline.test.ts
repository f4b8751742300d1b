import fc from 'fast-check'
import semver from 'semver'
import { expect, it } from 'vitest'
import { compareVersions, offlineSource } from './offline.ts'

it('orders versions as semver does', () => {
  const number = fc.constantFrom('0', '1', '2', '9', '10', '100')
  const identifier = fc.constantFrom('0', '1', '2', '10', 'alpha', 'beta', 'rc', '1a', '-')
  const version = fc
    .tuple(number, number, number, fc.option(fc.array(identifier, { minLength: 1, maxLength: 3 })), fc.option(fc.constantFrom('b1', '7.x')))
    .map(([a, b, c, pre, build]) => `${a}.${b}.${c}${pre === null ? '' : `-${pre.join('.')}`}${build === null ? '' : `+${build}`}`)
  fc.assert(
    fc.property(version, version, (a, b) => Math.sign(compareVersions(a, b)) === semver.compare(a, b)),
    { numRuns: 2_000 },
  )
})

it('refuses what is not a snapshot', () => {
  expect(() => offlineSource({ templates: 1 } as never)).toThrow(expect.objectContaining({ code: 'snapshot_invalid' }))
})
