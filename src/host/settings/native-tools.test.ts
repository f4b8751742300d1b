// Tests who runs a command-line agent's tools, depending on the file and the environment.
import { expect, it } from 'vitest'
import type { CliAgents } from './cli-agents.ts'
import { uselessNativeTools, withNativeTools } from './native-tools.ts'

const AGENTS: CliAgents = {
  'my.agent': { command: ['a'], nativeTools: 'provider' },
  other: { command: ['b'] },
  claude: { preset: 'claude' },
}

it('is said by the environment before the file, by the name of the provider', () => {
  const { agents, problem } = withNativeTools(AGENTS, { ONBOOK_MY_AGENT_NATIVE_TOOLS: 'onbook', ONBOOK_OTHER_NATIVE_TOOLS: '' })
  expect(problem).toBeNull()
  expect(agents).toEqual({ ...AGENTS, 'my.agent': { command: ['a'], nativeTools: 'onbook' } })
})

it('is an error when it is a word that nobody knows', () => {
  const { problem } = withNativeTools(AGENTS, { ONBOOK_OTHER_NATIVE_TOOLS: 'shell' })
  expect(problem).toEqual({ variable: 'ONBOOK_OTHER_NATIVE_TOOLS', problem: 'it must be provider or onbook, not "shell"' })
})

it('changes nothing for a preset, and there is a word for that', () => {
  const { agents } = withNativeTools(AGENTS, { ONBOOK_CLAUDE_NATIVE_TOOLS: 'onbook' })
  expect(uselessNativeTools(agents)).toEqual(['nativeTools of claude is ignored: claude always runs its own tools'])
  expect(uselessNativeTools(AGENTS)).toEqual([])
})
