// Programs from outside npm: present, installable, or said aloud.
import { expect, it } from 'vitest'
import { ensureSystemPackages, type Machine, type SystemPackage } from './system-packages.mjs'

const TABLE: readonly SystemPackage[] = [
  { command: 'chromium', debian: 'chromium', neededFor: 'browser tests' },
  { command: 'psql', debian: 'postgresql', neededFor: 'store tests' },
]

function machine(given: { has: string[]; root?: boolean; debian?: boolean; ci?: boolean; installs?: string[] }) {
  const has = new Set(given.has)
  const heard: string[] = []
  const asked: Machine = {
    has: command => has.has(command),
    root: given.root ?? true,
    debian: given.debian ?? true,
    ci: given.ci ?? false,
    run: async (command, args) => {
      heard.push([command, ...args.slice(2)].join(' '))
      if (args.includes('install')) for (const name of given.installs ?? []) has.add(name)
      return { code: 0, output: '' }
    },
    say: line => heard.push(line),
  }
  return { heard, ensure: () => ensureSystemPackages(false, TABLE, asked) }
}

it('does nothing when all are there', async () => {
  const { heard, ensure } = machine({ has: ['chromium', 'psql'] })
  await ensure()
  expect(heard).toEqual([])
})

it('installs what is missing as root on Debian, and only that', async () => {
  const { heard, ensure } = machine({ has: ['psql'], installs: ['chromium'] })
  await ensure()
  expect(heard).toEqual(['Installing system packages: chromium', 'apt-get update', 'apt-get install -y chromium'])
})

it.each([{ root: false }, { debian: false }])('skips aloud elsewhere: %o', async where => {
  const { heard, ensure } = machine({ has: ['psql'], ...where })
  await ensure()
  expect(heard).toEqual(['SKIPPED: browser tests: "chromium" is missing. To run it: apt-get install chromium'])
})

it('fails in CI when one is still missing', async () => {
  const { ensure } = machine({ has: ['psql'], ci: true })
  await expect(ensure()).rejects.toThrow('In CI nothing may be skipped. Missing: chromium.')
})
