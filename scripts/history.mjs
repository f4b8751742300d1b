// `node scripts/history.mjs`: a run of this release with a little of everything, made with the command line, into fixtures/histories/. Never writes over one.
// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const name = join(root, 'fixtures', 'histories', `workshop.v${version.split('.').slice(0, 2).join('.')}`)
if (existsSync(`${name}.jsonl`)) {
  console.error(`${name}.jsonl is there already: what was written is never edited.`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'onbook-history-'))
const workspace = join(root, 'scripts', 'history', 'workshop')
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

try {
  cpSync(workspace, folder, { recursive: true })
  await publishOrder()
  onbook(['publish', '.', '--workspace', 'workshop'])
  onbook(['sessions', 'create', 'workshop', '--provider', 'scripted', '--model', 'small'])
  onbook(['sync', 'workshop', '--workspace', 'workshop'])
  onbook(['apply', 'workshop', '--when', 'immediate_if_idle'])
  const { runId } = onbook(['run', 'workflows/workshop.yaml', ...SCRIPT], [1])
  // The writer waits: whatever it is told next is of the next version.
  writeFileSync(join(folder, 'context', 'style.md'), 'Short sentences. No adjectives.\n')
  onbook(['publish', '.', '--workspace', 'workshop'])
  onbook(['sync', 'workshop'])
  onbook(['apply', 'workshop', '--when', 'next_step_boundary'])
  answer('approve', 'look it up')
  answer('deny', 'you know it by now')
  onbook(['anchor', 'anchor.jsonl', '--public-key', `${name}.pem`])
  onbook(['export', runId, '--output', `${name}.jsonl`])
  console.log(`Wrote ${name}.jsonl and ${name}.pem.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
