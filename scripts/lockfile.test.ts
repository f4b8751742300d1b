// The lockfile installs everywhere: complete, from any registry, running nobody's scripts.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { complete, type Lockfile, missingFrom } from './lockfile.mjs'

const lockfile: Lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const entries = Object.entries(lockfile.packages)

it('has an entry for every package that is named, on every platform (else: node scripts/lockfile.mjs)', () => {
  expect(missingFrom(lockfile)).toEqual([])
})

it('names no registry host', () => {
  expect(entries.filter(([, found]) => found.resolved?.includes('://'))).toEqual([])
})

// It ships what its script would build; scripts are off here (.npmrc), and the tests of the store run without it.
const NEEDLESS = ['node_modules/@photostructure/sqlite']

it('has no package that needs an install script', () => {
  expect(entries.filter(([name, found]) => found.hasInstallScript && !NEEDLESS.includes(name)).map(([name]) => name)).toEqual([])
})

it('is completed with the platforms that a registry did not have', () => {
  const optionalDependencies = { '@x/cli-linux-x64-musl': '1.2.3', '@x/cli-darwin-arm64': '1.2.3', '@x/cli-linux-x64': '1.2.3' }
  const packages = {
    '': { dependencies: { x: '^1.0.0' } },
    'node_modules/x': { version: '1.2.3', dev: true, optionalDependencies },
    'node_modules/x/node_modules/@x/cli-linux-x64': { version: '1.2.3' },
  }
  expect(complete({ packages }).packages).toEqual({
    ...packages,
    'node_modules/@x/cli-darwin-arm64': { version: '1.2.3', os: ['darwin'], cpu: ['arm64'], dev: true, optional: true },
    'node_modules/@x/cli-linux-x64-musl': { version: '1.2.3', os: ['linux'], cpu: ['x64'], libc: ['musl'], dev: true, optional: true },
  })
})

it('is not completed with a package that every platform needs', () => {
  expect(() => complete({ packages: { '': { dependencies: { y: '^1.0.0' } } } })).toThrow('y@^1.0.0')
})
