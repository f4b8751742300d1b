// `node scripts/history.mjs NAME`: a run of this release, made with the command line, into fixtures/histories/. Never writes over one.
// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** @type {Record<string, { readonly over?: string, readonly tell: () => string | Promise<string> }>} */
const STORIES = {
  newsroom: { over: 'examples/newsroom', tell: newsroom },
  workshop: { tell: workshop },
}
const story = process.argv[2] ?? ''
const told = STORIES[story]
if (told === undefined) {
  console.error(`Name a story: ${Object.keys(STORIES).join(' or ')}.`)
  process.exit(2)
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const name = join(root, 'fixtures', 'histories', `${story}.v${version.split('.').slice(0, 2).join('.')}`)
if (existsSync(`${name}.jsonl`)) {
  console.error(`${name}.jsonl is there already: what was written is never edited.`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'onbook-history-'))
const SCRIPT = ['--script', 'script.yaml']

/** @param {readonly string[]} args @param {readonly number[]} codes that are fine */
function onbook(args, codes = [0]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin', 'onbook.mjs'), ...args, '--json'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (!codes.includes(status ?? -1)) throw new Error(`onbook ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** What no pack can say: a variable that is a secret. */
async function publishOrder() {
  const host = spawn(process.execPath, [join(root, 'bin', 'onbook.mjs'), 'serve', '--port', '0', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(host.stdout, 'data')
  const key = readFileSync(join(folder, '.onbook', 'local.key'), 'utf8').trim()
  const { status } = await fetch(`${JSON.parse(line).url}/v1/prompts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: readFileSync(join(folder, 'order.json')),
  })
  host.kill()
  await once(host, 'close')
  if (status !== 201) throw new Error(`The host answered ${status}.`)
}

/** @param {'approve' | 'deny'} said @param {string} note */
function answer(said, note) {
  const [{ approval }] = onbook(['approvals']).approvals
  onbook(['approvals', said, approval, '--note', note, ...SCRIPT], [0, 1])
}

/** A little of everything: a node that is added, handoffs, a loop, a retry, a secret, a call that waits. */
async function workshop() {
  await publishOrder()
  const runId = begin('workshop.yaml')
  // The writer waits: the next step that it takes has the next version.
  adoptNext('context/style.md', 'Short sentences. No adjectives.\n')
  answer('approve', 'look it up')
  answer('deny', 'you know it by now')
  return runId
}

/** The gate: one agent may not call a tool, one may, one asks twice. */
function newsroom() {
  onbook(['publish', '.'])
  onbook(['label', 'editor', 'print', '1.0.0', '--new', '--why', 'goes to print'])
  const runId = begin('archive.yaml')
  adoptNext('context/house-style.md', 'Write times with two digits. Name the month.\n')
  answer('approve', 'It is our own archive.')
  answer('deny', 'Once is enough.')
  return runId
}

/** Until a call waits for a person. @param {string} workflow */
function begin(workflow) {
  onbook(['publish', '.', '--workspace', story])
  onbook(['sessions', 'create', story, '--provider', 'scripted', '--model', 'small'])
  onbook(['sync', story, '--workspace', story])
  onbook(['apply', story, '--when', 'immediate_if_idle'])
  return onbook(['run', join('workflows', workflow), ...SCRIPT], [1]).runId
}

/** @param {string} path @param {string} text */
function adoptNext(path, text) {
  writeFileSync(join(folder, path), text)
  onbook(['publish', '.', '--workspace', story])
  onbook(['sync', story])
  onbook(['apply', story, '--when', 'next_step_boundary'])
}

try {
  const { over, tell } = told
  if (over !== undefined) cpSync(join(root, over), folder, { recursive: true })
  cpSync(join(root, 'scripts', 'history', story), folder, { recursive: true })
  const runId = await tell()
  onbook(['anchor', 'anchor.jsonl', '--public-key', `${name}.pem`])
  onbook(['export', runId, '--output', `${name}.jsonl`])
  console.log(`Wrote ${name}.jsonl and ${name}.pem.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
