// Runs every command once, in its own process and in one folder: it starts, does its work, and ends with the exit code that scripts expect.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'
import { COMMANDS } from './commands.ts'

const INTERACTIVE = 'id: chat\nobjective: Talk.\norchestration: interactive\nnodes: [{ id: writer }]\n'
const PLANNING = `mode: planning\n${INTERACTIVE.replace('id: chat', 'id: plan')}`
const REPLIES = 'replies:\n  - match: {}\n    text: Noted.\n'
const ASKING = `replies:
  - match: { step: 1 }
    toolCalls: [{ toolName: request_implementation, arguments: { reason: It must change. } }]
  - match: {}
    text: I wait.
`
const WORK = ['--script', 'script.yaml'] as const

let folder = ''
/** Values that later commands need, by name. */
const noted: Record<string, string> = {}

beforeAll(() => {
  folder = temporaryFolder(null, { 'chat.yaml': INTERACTIVE, 'plan.yaml': PLANNING, 'script.yaml': REPLIES, 'asking.yaml': ASKING })
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
})

interface Step {
  /** Words after the command. `:name` is the value noted under that name. */
  readonly words: readonly string[]
  /** Default: 0. */
  readonly exit?: number
  /** A value of the answer to note, by its path. The command runs with --json. */
  readonly note?: readonly [name: string, ...path: readonly (string | number)[]]
}

/** In the order of a story: each command depends on the ones before it. */
const STORY: readonly (readonly [command: string, step: Step])[] = [
  ['init', { words: ['desk'] }],
  ['check', { words: ['desk'] }],
  ['test', { words: ['desk'] }],
  ['prompt render', { words: ['--text', 'Hello'] }],
  ['publish', { words: ['desk'] }],
  ['prompt list', { words: [] }],
  ['prompt show', { words: ['summarizer'] }],
  ['prompt label', { words: ['summarizer', 'production', '1.0.0', '--new'] }],
  ['publish', { words: ['desk', '--workspace', 'desk'] }],
  ['workspace list', { words: [] }],
  ['workspace log', { words: ['desk'] }],
  ['workspace show', { words: ['desk'] }],
  ['workspace diff', { words: ['desk'], exit: 1 }],
  ['workspace check', { words: ['desk'] }],
  ['workspace checkout', { words: ['desk', 'copy'] }],
  ['run', { words: ['chat.yaml', ...WORK], exit: 1, note: ['run', 'runId'] }],
  ['run list', { words: [] }],
  ['show', { words: [':run'] }],
  ['run say', { words: [':run', 'writer', 'Shorter, please', ...WORK], exit: 1 }],
  ['run mode', { words: [':run', 'planning'] }],
  ['run override', { words: [':run', 'Answer in one word.'] }],
  ['run pause', { words: [':run'] }],
  ['run resume', { words: [':run', ...WORK], exit: 1 }],
  ['run cancel', { words: [':run'] }],
  ['run start', { words: ['chat.yaml', ...WORK], exit: 1, note: ['second', 'runId'] }],
  ['run fork', { words: [':second', '--from', 'writer', ...WORK], exit: 1 }],
  ['why', { words: [':run'] }],
  ['blame', { words: [':run'] }],
  ['run prefix', { words: [':run'] }],
  ['replay', { words: [':run'] }],
  ['diff', { words: [':run', ':second'], exit: 1 }],
  ['run export', { words: [':run', '--output', 'run.jsonl'] }],
  ['run import', { words: ['run.jsonl', '--data', 'other'] }],
  ['run', { words: ['plan.yaml', '--script', 'asking.yaml'], exit: 1 }],
  ['approval list', { words: [], note: ['approval', 'approvals', 0, 'approval'] }],
  ['approval approve', { words: [':approval', ...WORK], exit: 1 }],
  ['approval deny', { words: [':approval', ...WORK], exit: 2 }],
  ['agent create', { words: ['writer', '--provider', 'scripted', '--model', 'small'] }],
  ['agent list', { words: [] }],
  ['agent config', { words: ['writer', '--model', 'large'] }],
  ['agent sync', { words: ['writer', '--workspace', 'desk'] }],
  ['agent apply', { words: ['writer'] }],
  ['agent run', { words: ['writer', '--input', 'Good morning', '--interactive', ...WORK] }],
  ['agent say', { words: ['writer', 'And now?', ...WORK] }],
  ['agent show', { words: ['writer'] }],
  ['agent resume', { words: ['writer', ...WORK] }],
  ['agent complete', { words: ['writer'] }],
  ['agent events', { words: ['writer'] }],
  ['agent transcript', { words: ['writer'] }],
  ['agent cancel', { words: ['writer'], exit: 2 }],
  ['role list', { words: [] }],
  ['role show', { words: ['reviewer'] }],
  ['role init', { words: ['reviewer'] }],
  ['policy show', { words: [] }],
  ['policy explain', { words: ['write_file', '--agent', 'writer'], exit: 1 }],
  ['policy log', { words: [] }],
  ['tool list', { words: [] }],
  ['tool adopt', { words: ['archive'], exit: 2 }],
  ['tool drop', { words: ['archive'] }],
  ['prompt bump', { words: ['desk/prompts/summarizer/v1.0.0.yaml', 'minor'] }],
  ['publish', { words: ['desk'] }],
  ['bundle build', { words: ['desk/prompts', '--name', 'vendor.desk.prompts', '--version', '1.0.0', '--output', 'bundle'] }],
  ['bundle sign', { words: ['bundle', '--key', 'key.pem'] }],
  ['bundle verify', { words: ['bundle'], exit: 1 }],
  ['bundle install', { words: ['bundle'], exit: 1 }],
  ['bundle list', { words: [] }],
  ['key create', { words: [], note: ['key', 'id'] }],
  ['key list', { words: [] }],
  ['key revoke', { words: [':key'] }],
  ['store streams', { words: [] }],
  ['store events', { words: ['run/:run'] }],
  ['store checkpoint', { words: [] }],
  ['store anchor', { words: ['anchor.jsonl', '--public-key', 'onbook.pem'] }],
  ['verify', { words: ['--anchor', 'anchor.jsonl', '--public-key', 'onbook.pem'] }],
  ['store backup', { words: ['monday.db'] }],
  ['store restore', { words: ['monday.db', '--data', 'restored'] }],
  ['store rebuild', { words: [] }],
  ['store object', { words: [`sha256:${'0'.repeat(64)}`], exit: 2 }],
  ['store erase', { words: [`sha256:${'0'.repeat(64)}`, '--why', 'smoke'], exit: 2 }],
  ['store collect', { words: [] }],
  ['host serve', { words: ['--background', '--port', '0'] }],
  ['host status', { words: [] }],
  ['key login', { words: [] }],
  ['host stop', { words: [] }],
  ['demo', { words: ['--no-serve', '--data', 'demo'] }],
]

/** Tested in their own suites: they need two versions, or a key on standard input. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'prompt activate': 'cli/versions.deep.test.ts',
  'prompt retire': 'cli/versions.deep.test.ts',
  'prompt rollback': 'cli/prompts/prompts.test.ts',
  'host login': 'cli/host/login.test.ts',
  'host logout': 'cli/host/login.test.ts',
}

it('names every command', () => {
  const named = new Set([...STORY.map(([command]) => command), ...Object.keys(ELSEWHERE)])
  expect([...named].sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
})

it.each(STORY)('%s', async (command, { words, exit = 0, note }) => {
  const typed = words.map(word => word.replace(/(^|\/):(\w+)$/, (_, before: string, name: string) => `${before}${noted[name]}`))
  const { code, out, err } = await runCli([...command.split(' '), ...typed, ...(note === undefined ? [] : ['--json'])], { cwd: folder })
  expect({ code, bug: err.includes('this is a bug') }, `${out}\n${err}`).toEqual({ code: exit, bug: false })
  if (note === undefined) return
  const [name, ...path] = note
  noted[name] = String(path.reduce((value: unknown, key) => (value as Record<string | number, unknown>)[key], JSON.parse(out)))
})
