// @ts-check
// How benchmarks here measure: everything in one run, interleaved, several rounds, medians; ratios count, absolute times do not.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

/** @param {readonly number[]} values */
export const median = values => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * Runs every contender once per round, in turn, and returns the median of what each returned.
 * @param {Readonly<Record<string, () => number | Promise<number>>>} contenders
 * @param {number} rounds
 */
export async function interleave(contenders, rounds) {
  /** @type {Record<string, number[]>} */
  const taken = Object.fromEntries(Object.keys(contenders).map(name => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) taken[name]?.push(await run())
  }
  return Object.fromEntries(Object.entries(taken).map(([name, values]) => [name, median(values)]))
}

/** Milliseconds a call takes, over many calls. @param {() => unknown} call @param {number} times */
export function timePerCall(call, times) {
  const started = performance.now()
  for (let done = 0; done < times; done++) call()
  return (performance.now() - started) / times
}

/** Milliseconds a process takes. @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnSyncOptions} [options] */
export function timeProcess(command, args, options = {}) {
  const started = performance.now()
  const { status, stderr, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${String(stderr ?? error).slice(-2000)}`)
  return performance.now() - started
}

/**
 * Peers that only a benchmark needs, installed where only a benchmark looks.
 * @param {readonly string[]} packages with versions
 */
export function peers(packages) {
  const folder = resolve('.setup', 'bench')
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const missing = packages.filter(name => !existsSync(join(folder, 'node_modules', name.replace(/(?<=.)@.*$/, ''))))
  if (missing.length > 0) {
    console.log(`Installing ${missing.join(', ')} for this benchmark…`)
    const { status, stderr } = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`cannot install ${missing.join(', ')}: ${stderr.slice(-2000)}`)
  }
  return { folder, load: createRequire(join(folder, 'package.json')) }
}

/** @param {string} title @param {readonly (readonly string[])[]} rows */
export function table(title, rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  console.log(`\n${title}`)
  for (const row of rows)
    console.log(
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
    )
}

/** @param {number} value @param {number} [digits] */
export const number = (value, digits = 2) => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
