// Settings of fake command-line agents, and looking after the processes they start. For tests.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CliAgentSettings } from '../../adapters/cli-agent/agent.ts'

const SCRIPT = fileURLToPath(new URL('fake-cli-agent.mjs', import.meta.url))

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

/** Writes its prompts to a folder as `told-1`, `told-2` …, and replies with the files `say-1`, `say-2` … there. With protocol text it needs no Node process. */
export function turnsAgent(folder: string, protocol: FakeProtocol = 'text', more: CliAgentSettings = {}): CliAgentSettings {
  const { command, ...settings } = fakeAgent('turns', protocol, more)
  const turns = 'turn=$(($(ls "$0" | grep -c told-) + 1)); cat > "$0/told-$turn"; cat "$0/say-$turn"'
  return { ...settings, command: protocol === 'text' ? ['sh', '-c', turns, folder] : [...command!, folder] }
}

/** A zombie process counts as dead. */
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
