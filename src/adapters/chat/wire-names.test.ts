// Tool names that providers refuse: sent in another form, and back under the real name.
import { afterEach, expect, it, vi } from 'vitest'
import type { ChatMessage } from '../../core/messages/message.ts'
import type { CallOptions, Delta } from '../../ports.ts'
import { type LoopbackChat, loopbackChat } from '../../testing/models/loopback-chat.ts'
import { aiSdkChat } from './ai-sdk-chat.ts'

let server: LoopbackChat
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

const PATTERN = /^[a-zA-Z0-9_-]{1,64}$/
const NAMES = ['workspace.read', 'introspect.session', 'workspace_read', `long.${'x'.repeat(90)}`, 'plain']
const messages: readonly ChatMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'Read it.' }] },
  { role: 'assistant', content: [{ type: 'tool_call', callId: '1', toolName: 'workspace.read', arguments: { path: 'a' } }] },
  { role: 'tool', content: [{ type: 'tool_result', callId: '1', toolName: 'workspace.read', output: 'A' }] },
]

/** Refuses a name as the providers do. */
const namesIn = (body: string): readonly string[] =>
  [...body.matchAll(/"(?:type":"function","function":\{"name|function":\{"name|tool_use"[^}]*?"name|name)":"([^"]*)"/g)].map(
    ([, name]) => name!,
  )

it.each([
  ['openai', 'openai', 'OPENAI'],
  ['anthropic', 'anthropic', 'ANTHROPIC'],
  ['openai-compatible', 'openai', 'OPENAI_COMPATIBLE'],
] as const)(
  'agentos D5: %s gets names that it accepts, and what it calls comes back under the real name',
  async (provider, wire, prefix) => {
    server = await loopbackChat(wire, () => ({ toolCalls: [{ id: 'c1', name: called(), arguments: '{"path":"b"}' }] }))
    vi.stubEnv(`${prefix}_BASE_URL`, server.url)
    vi.stubEnv(`${prefix}_API_KEY`, 'key-of-the-provider')
    /** The name under which `workspace.read` was sent, as its description tells. */
    const called = () => /"name":"([^"]*)","description":"workspace\.read"/.exec(server.heard.at(-1)!.body)![1]!
    const deltas: Delta[] = []
    const options: CallOptions = {
      signal: new AbortController().signal,
      secrets: { get: async () => null },
      object: async () => new Uint8Array(),
      onDelta: delta => deltas.push(delta),
    }
    const tools = NAMES.map(name => ({ name, description: name, inputSchema: { type: 'object' } }))
    const call = { provider, model: 'tiny', messages, tools, toolChoice: { tool: 'workspace.read' }, parameters: {} }
    const receipt = await aiSdkChat().call(call, options)
    const sent = namesIn(server.heard[0]!.body)
    expect(sent.length).toBeGreaterThanOrEqual(NAMES.length)
    for (const name of sent) expect(name).toMatch(PATTERN)
    expect(new Set(sent.slice(0, 99)).size).toBe(NAMES.length)
    expect(receipt).toMatchObject({ status: 'ok', toolCalls: [{ toolName: 'workspace.read', arguments: { path: 'b' } }] })
    expect(deltas.filter(({ kind }) => kind === 'tool').map(delta => 'name' in delta && delta.name)).toEqual(['workspace.read'])
  },
)
