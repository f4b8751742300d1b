// The questions, asked as a person would: real commands in a folder of their own, and what they print. Decides nothing.
// @ts-check
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `folders`: copied there from the checkout, by name. `before`: what leads up to it, untold. `told`: shown with what it prints.
 * `RUN1` in a command is the first run of the story, `RUN2` the second. A command that ends otherwise than with 0 says how: `exits`.
 * @typedef {{ args: readonly string[], exits?: number }} Typed
 * `unsteady`: what else only tells one telling from another.
 * @typedef {{ folders: Readonly<Record<string, string>>, files?: Readonly<Record<string, string>>, before: readonly Typed[], told: readonly Typed[], unsteady?: RegExp }} Story
 */

/** @param {string} line @param {number} [exits] @returns {Typed} */
const type = (line, exits = 0) => ({ args: line.split(' '), exits })

/** @type {Readonly<Record<string, Story>>} */
export const STORIES = {
  why: {
    folders: { desk: 'examples/why' },
    files: { 'onbook.policy.yaml': 'grants:\n  - tools: [workspace.read]\n    agents: [local.desk.critic]\n' },
    before: [
      type('publish desk --workspace desk'),
      type('label editorial-house-style production 1.0.0'),
      type('label editorial-house-style production 1.1.0 --why phones'),
      type('sessions create desk --provider scripted --model small'),
      type('sync desk --workspace desk'),
      type('apply desk --when immediate_if_idle'),
      type('run desk/workflows/story.yaml --script desk/script.yaml --json'),
    ],
    told: [
      type('why RUN1'),
      type('why RUN1 --node editor --kind user'),
      type('why --edit desk/workflows/story.yaml --node writer --kind system'),
    ],
  },
  replay: {
    folders: { newsroom: 'examples/newsroom' },
    files: { 'later.yaml': 'hostDefaults:\n  user: prompt:house-task@2.0.0\n' },
    before: [type('run newsroom/workflows/newsroom.yaml --input @newsroom/input.json --script newsroom/script.yaml --json')],
    told: [type('replay RUN1'), type('replay RUN1 --level 1'), type('replay RUN1 --config later.yaml')],
    unsteady: /sha256:[0-9a-f]+…?/g,
  },
}

/** @param {string} root the checkout @param {string} name @returns {Promise<string>} without what only tells one telling from another */
export async function tell(root, name) {
  const { folders, files = {}, before, told, unsteady } = STORIES[name] ?? fail(`There is no story "${name}"`)
  const place = mkdtempSync(join(tmpdir(), 'onbook-story-'))
  /** @type {string[]} */
  const runs = []
  let text = ''
  try {
    for (const [to, from] of Object.entries(folders)) cpSync(join(root, from), join(place, to), { recursive: true })
    for (const [path, content] of Object.entries(files)) writeFileSync(join(place, path), content)
    for (const [index, { args, exits = 0 }] of [...before, ...told].entries()) {
      const words = args.map(word => runs[Number(/^RUN(\d)$/.exec(word)?.[1]) - 1] ?? word)
      const { code, out, err } = await run(root, place, words)
      if (code !== exits) fail(`onbook ${args.join(' ')} ended with ${code}: ${err}`)
      if (args[0] === 'run') runs.push(JSON.parse(out).runId)
      if (index >= before.length) text += `${text === '' ? '' : '\n'}$ onbook ${args.join(' ')}\n\n${out}`
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  const steadied = steady(text, runs)
  return unsteady === undefined ? steadied : steadied.replace(unsteady, 'HASH')
}

/** @param {string} text @param {readonly string[]} runs */
const steady = (text, runs) =>
  runs
    .reduce((known, id, index) => known.replaceAll(id, `RUN${index + 1}`), text)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'WHEN')
    .replace(/cli:[^\s,:]+/g, 'cli:somebody')

/** @param {string} message @returns {never} */
function fail(message) {
  throw new Error(message)
}

/** @param {string} root @param {string} cwd @param {readonly string[]} args @returns {Promise<{ code: number | null, out: string, err: string }>} */
const run = (root, cwd, args) =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = spawn(process.execPath, [join(root, 'bin', 'onbook.mjs'), ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', piece => (out += piece))
    child.stderr.setEncoding('utf8').on('data', piece => (err += piece))
    child.on('error', reject)
    child.on('close', code => resolve({ code, out, err }))
  })
