// A command-line agent that behaves well or badly, as its first argument says; the second names the protocol it writes. For tests with real processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

const [behaviour, protocol, ...words] = process.argv.slice(2)
const resumed = words.includes('--resume') ? words[words.indexOf('--resume') + 1] : null
const conversation = resumed ?? 'conversation-1'

const forever = () => new Promise(() => setInterval(() => {}, 1_000))
const soon = ms => new Promise(resolve => setTimeout(resolve, ms))
const write = bytes => new Promise(resolve => process.stdout.write(bytes, resolve))

/** The lines of an answer that comes in these pieces. */
const LINES = {
  text: pieces => [pieces.join('')],
  jsonl: pieces => [
    { type: 'thread.started', thread_id: conversation },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_0', type: 'reasoning', text: 'Let me think.' } },
    { type: 'item.completed', item: { id: 'item_1', type: 'command_execution', command: 'ls', aggregated_output: 'a', exit_code: 0 } },
    ...pieces.map((_, at) => ({
      type: at === pieces.length - 1 ? 'item.completed' : 'item.updated',
      item: { id: 'item_2', type: 'agent_message', text: pieces.slice(0, at + 1).join('') },
    })),
    { type: 'something.new', item: 5 },
    { type: 'turn.completed', usage: { input_tokens: 20, cached_input_tokens: 4, output_tokens: 3 } },
  ],
  'stream-json': pieces => [
    { type: 'system', subtype: 'init', session_id: conversation, tools: [] },
    { type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'Let me think.' } } },
    ...pieces.map(piece => ({ type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text: piece } } })),
    { type: 'assistant', parent_tool_use_id: 'toolu_1', message: { id: 'm0', content: [{ type: 'text', text: 'Not for you.' }] } },
    {
      type: 'assistant',
      parent_tool_use_id: null,
      message: {
        id: 'm1',
        content: [
          { type: 'thinking', thinking: 'Let me think.' },
          { type: 'text', text: pieces.join('') },
          { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
        ],
      },
    },
    { type: 'something_new', content: 5 },
    {
      ...{
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: pieces.join(''),
        session_id: conversation,
        stop_reason: 'end_turn',
      },
      usage: { input_tokens: 14, cache_read_input_tokens: 4, cache_creation_input_tokens: 2, output_tokens: 3 },
    },
  ],
  gemini: pieces => [
    { type: 'init', session_id: conversation, model: 'm' },
    { type: 'message', role: 'user', content: 'what was asked' },
    ...pieces.map(content => ({ type: 'message', role: 'assistant', content, delta: true })),
    { type: 'tool_use', tool_name: 'ls', tool_id: '1', parameters: {} },
    { type: 'result', status: 'success', stats: { total_tokens: 23, input_tokens: 20, output_tokens: 3, cached: 4 } },
  ],
}
const bytesOf = pieces =>
  LINES[protocol](pieces)
    .map(line => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`))
    .join('')
const PIECES = ['Good ', 'morning, ', 'Zoë 🌅.']
const answer = (...pieces) => write(bytesOf(pieces.length === 0 ? PIECES : pieces))

/** A child of this one that lets nobody end it, and may keep open what this one writes to. Its id, once it is deaf to signals. */
const grandchild = async (stdout = 'inherit', detached = false) => {
  const deaf =
    "for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(s, () => {}); console.error('ready'); setInterval(() => {}, 1000)"
  const child = spawn(process.execPath, ['-e', deaf], { detached, stdio: ['ignore', stdout, 'pipe'] })
  await once(child.stderr, 'data')
  return child.pid
}

const BEHAVIOURS = {
  async fine() {
    await text(process.stdin)
    await answer()
  },
  async echo() {
    const stdin = await text(process.stdin)
    await answer(JSON.stringify({ words, stdin, cwd: process.cwd(), env: process.env }))
  },
  /** Keeps what it is told in a folder, and says what stands there for its turn. */
  async turns() {
    const [folder] = words
    const turn = readdirSync(folder).filter(name => name.startsWith('told-')).length + 1
    writeFileSync(`${folder}/told-${turn}`, await text(process.stdin))
    await answer(readFileSync(`${folder}/say-${turn}`, 'utf8'))
  },
  async size() {
    await soon(100)
    await answer(`${(await text(process.stdin)).length}`)
  },
  async slow() {
    for (const line of LINES[protocol](PIECES)) {
      await write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)
      await soon(60)
    }
  },
  async steady() {
    for (let times = 0; times < 18; times += 1) {
      process.stderr.write('Still at it.\n')
      await soon(100)
    }
    await answer()
  },
  async tiny() {
    const bytes = Buffer.from(bytesOf(PIECES))
    for (let at = 0; at < bytes.length; at += 3) {
      await write(bytes.subarray(at, at + 3))
      if (at % 60 === 0) await soon(1)
    }
  },
  async never() {
    await write(`pid ${process.pid}\n`)
    await forever()
  },
  silent: forever,
  async stubborn() {
    process.on('SIGTERM', () => {})
    await BEHAVIOURS.never()
  },
  async leaves() {
    await answer(`${await grandchild()}`)
    process.exit(0)
  },
  async leavesQuietly() {
    await answer(`${await grandchild('ignore')}`)
    process.exit(0)
  },
  async escapes() {
    await answer(`${await grandchild('inherit', true)}`)
    process.exit(0)
  },
  async family() {
    await write(`pid ${process.pid}\npid ${await grandchild()}\n`)
    await forever()
  },
  async lingers() {
    await answer()
    await forever()
  },
  async flood() {
    for (;;) await write('x'.repeat(65_536))
  },
  async noisy() {
    for (let lines = 0; lines < 400; lines += 1) process.stderr.write(`${'e'.repeat(10_000)}\n`)
    await answer()
  },
  fails() {
    process.stderr.write('Something is wrong with your settings.\n')
    process.exitCode = 3
  },
  busy() {
    process.stderr.write('API Error: 529 overloaded_error\n')
    process.exitCode = 1
  },
  async dies() {
    const bytes = bytesOf(PIECES)
    await write(bytes.slice(0, bytes.length - 20))
    process.kill(process.pid, 'SIGKILL')
    await forever()
  },
  async stops() {
    const bytes = bytesOf(PIECES)
    await write(bytes.slice(0, bytes.lastIndexOf('{')))
  },
  async malformed() {
    for (const line of LINES[protocol](PIECES)) await write(`${JSON.stringify(line)}\n{"half": \nnot JSON at all\n[1]\n"text"\n\n`)
  },
  async secrets() {
    const told = `${await text(process.stdin)} ${process.env.FAKE_TOKEN}`
    for (let times = 0; times < 500; times += 1) process.stderr.write(`${told}\n`)
    if (words.includes('--fail')) process.exitCode = 1
    else await answer(...told)
  },
  async asks() {
    for await (const _ of process.stdin) process.stderr.write('Continue? [y/N] ')
    await answer('Nobody answered.')
  },
  async deaf() {
    process.stdin.destroy()
    await soon(100)
    await answer()
  },
  empty() {},
  async refuses() {
    await write(`${JSON.stringify({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: ['Your plan ended.'] })}\n`)
    process.exitCode = 1
  },
  async failedTurn() {
    await write(`${JSON.stringify({ type: 'turn.failed', error: { message: 'Your plan ended.' } })}\n`)
    process.exitCode = 1
  },
  async crashesAfter() {
    await answer()
    process.exitCode = 7
  },
  async lost() {
    if (resumed === null) return BEHAVIOURS.fine()
    process.stderr.write(`Error: No Conversation found with session ID: ${resumed}\n`)
    process.exitCode = 1
  },
  async lostResult() {
    const errors = [`No conversation found with session ID: ${resumed}`]
    await write(`${JSON.stringify({ type: 'result', subtype: 'error_during_execution', is_error: true, session_id: resumed, errors })}\n`)
    process.exitCode = 1
  },
  async otherThread() {
    await write(`${JSON.stringify({ type: 'thread.started', thread_id: 'another' })}\npid ${process.pid}\n`)
    await forever()
  },
}
await BEHAVIOURS[behaviour]()
