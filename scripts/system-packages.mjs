// Programs from outside npm that tests need. Installed only as root on Debian; elsewhere said aloud, with the command to run.
// @ts-check
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { refuse } from './setup/refuse.mjs'
import { run } from './setup/run.mjs'

/** @typedef {{ command: string, debian: string, neededFor: string }} SystemPackage */
/**
 * @typedef {object} Machine what set-up asks of the machine
 * @property {(command: string) => boolean} has
 * @property {boolean} root
 * @property {boolean} debian
 * @property {boolean} ci
 * @property {(command: string, args: readonly string[]) => Promise<{ code: number, output: string }>} run
 * @property {(line: string) => void} say
 */

/** @type {readonly SystemPackage[]} */
export const SYSTEM_PACKAGES = []

/** With nobody to ask: no questions, and patience with another apt. */
const APT = ['-o', 'DPkg::Lock::Timeout=300']

/** @param {boolean} verbose @param {readonly SystemPackage[]} [table] @param {Machine} [machine] */
export async function ensureSystemPackages(verbose, table = SYSTEM_PACKAGES, machine = thisMachine(verbose)) {
  const missing = table.filter(entry => !machine.has(entry.command))
  if (missing.length === 0) return
  const names = [...new Set(missing.map(entry => entry.debian))]

  if (machine.root && machine.debian) {
    machine.say(`Installing system packages: ${names.join(' ')}`)
    for (const args of [['update'], ['install', '-y', ...names]]) {
      const { code, output } = await machine.run('apt-get', [...APT, ...args])
      if (code !== 0) machine.say(`${output.trimEnd()}\napt-get ${args[0]} ended with ${code}.`)
    }
  }
  const absent = missing.filter(entry => !machine.has(entry.command))
  for (const { command, debian, neededFor } of absent) {
    machine.say(`SKIPPED: ${neededFor}: "${command}" is missing. To run it: apt-get install ${debian}`)
  }
  if (absent.length > 0 && machine.ci)
    throw refuse(`In CI nothing may be skipped. Missing: ${absent.map(entry => entry.command).join(', ')}.`)
}

/** @param {boolean} verbose @returns {Machine} */
function thisMachine(verbose) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return {
    has: isOnPath,
    root: process.getuid?.() === 0,
    debian: existsSync('/etc/debian_version') && isOnPath('apt-get'),
    ci: process.env.CI === 'true',
    run: (command, args) => run(command, args, { cwd: process.cwd(), env, capture: !verbose }),
    say: line => console.log(line),
  }
}

/** @param {string} command */
function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
