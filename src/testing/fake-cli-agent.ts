// Settings of fake command-line agents, and looking after the processes they start. For tests.
import { readFileSync } from 'node:fs'
import type { CliAgentSettings } from '../adapters/cli-agent/agent.ts'

const SCRIPT = new URL('fake-cli-agent.mjs', import.meta.url).pathname

/** `gemini` is what Gemini CLI makes of stream-json. */
export type FakeProtocol = 'text' | 'jsonl' | 'stream-json' | 'gemini'
export const FAKE_PROTOCOLS: readonly FakeProtocol[] = ['text', 'jsonl', 'stream-json', 'gemini']

export const fakeAgent = (behaviour: string, protocol: FakeProtocol = 'text', more: CliAgentSettings = {}): CliAgentSettings => ({
  command: [process.execPath, SCRIPT, behaviour, protocol],
  protocol: protocol === 'gemini' ? 'stream-json' : protocol,
  resumeArgs: ['--resume', '{conversation}'],
  lostPatterns: ['no conversation found'],
  graceMs: 300,
  ...more,
})

/** A process that nobody has taken note of is dead. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    try {
      return process.platform !== 'linux' && process.kill(pid, 0)
    } catch {
      return false
    }
  }
}

export const pidsIn = (text: string): readonly number[] => [...text.matchAll(/pid (\d+)/g)].map(match => Number(match[1]))
