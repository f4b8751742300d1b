// @ts-check
// Asks a fake agent once, says what came of it, and is over when nothing keeps it. From dist: it runs without a test runner.
import { writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cliAgentChat } from '../../../dist/adapters/cli-agent/cli-agent-chat.js'

const [behaviour = '', protocol = '', abortAfter = ''] = process.argv.slice(2)
const script = fileURLToPath(new URL('fake-cli-agent.mjs', import.meta.url))
const stop = new AbortController()
const { call } = cliAgentChat(
  {
    fake: {
      command: [process.execPath, script, behaviour, protocol],
      graceMs: 300,
      protocol: /** @type {'text'} */ (protocol),
    },
  },
  '.',
)
const receipt = await call(
  {
    ...{ provider: 'fake', model: 'default', tools: [], parameters: {} },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  },
  {
    signal: stop.signal,
    secrets: { get: async () => null },
    object: () => Promise.reject(new Error('none')),
    onDelta({ text }) {
      writeSync(1, text)
      if (abortAfter === 'abort') setTimeout(() => stop.abort(), 50)
    },
  },
)
writeSync(1, `\n${receipt.status}\n`)
