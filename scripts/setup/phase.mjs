// One step of set-up as one line for a person. What the program said is shown only when it fails, or always with --verbose.
// @ts-check
import { refuse } from './refuse.mjs'
import { run } from './run.mjs'

/**
 * @param {string} title
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, verbose: boolean, shell?: boolean }} options
 */
export async function phase(title, command, args, { verbose, ...options }) {
  const began = performance.now()
  process.stdout.write(`${title}…${verbose ? '\n' : ' '}`)
  const { code, output } = await run(command, args, { ...options, capture: !verbose })
  if (code !== 0) {
    process.stdout.write('failed.\n')
    throw refuse(`${output.trimEnd()}\n\n${title} failed: ${[command, ...args].join(' ')} ended with ${code}.`.trimStart(), code)
  }
  process.stdout.write(`done in ${seconds(performance.now() - began)}\n`)
}

/** @param {number} ms */
export const seconds = ms => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
