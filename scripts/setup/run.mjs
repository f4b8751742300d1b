// Runs one program to its end. A signal meant for us reaches the program; when it stops for that, so does the whole job.
// @ts-check
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { refuse } from './refuse.mjs'

const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, user?: { uid: number, gid: number } | null, capture?: boolean, shell?: boolean }} options
 * @returns {Promise<{ code: number, output: string }>} 127 when the program is not there, 128 + n after signal n
 */
export function run(command, args, { cwd, env = process.env, user = null, capture = false, shell = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd, env, shell, ...user, stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit' })

    let output = ''
    child.stdout?.setEncoding('utf8').on('data', text => (output += text))
    child.stderr?.setEncoding('utf8').on('data', text => (output += text))

    let interrupted = false
    /** @param {NodeJS.Signals} signal */
    const forward = signal => {
      interrupted = true
      // A terminal sends Ctrl-C to the whole group; a second one from us would mean "at once" to vitest and npm.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    for (const signal of FORWARDED) process.on(signal, forward)
    /** @param {number} code */
    const end = code => {
      for (const signal of FORWARDED) process.off(signal, forward)
      if (interrupted && code !== 0) reject(refuse('Interrupted.', code))
      else resolve({ code, output })
    }
    child.on('error', error => {
      output += `${command}: ${error.message}\n`
      end(127)
    })
    child.on('close', (code, signal) => end(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}
