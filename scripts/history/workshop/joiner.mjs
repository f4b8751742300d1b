// A command-line agent that keeps a conversation: it asks for a file first, and is done when it is resumed.
// @ts-check
import { text } from 'node:stream/consumers'

await text(process.stdin)
const call = { id: 't1', name: 'workspace.read', args: { path: 'context/style.md' } }
const result = process.argv.includes('--resume') ? 'Joined.' : `I look.\n${JSON.stringify({ tool_call: call })}`
for (const line of [
  { type: 'system', subtype: 'init', session_id: 'bench-1', tools: [] },
  { type: 'result', subtype: 'success', is_error: false, result, session_id: 'bench-1' },
])
  process.stdout.write(`${JSON.stringify(line)}\n`)
