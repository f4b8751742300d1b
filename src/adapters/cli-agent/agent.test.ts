// The command line of an agent, from its preset and the operator's settings.
import { expect, it } from 'vitest'
import { type CliAgentSettings, cliAgent, wordsOf } from './agent.ts'

const words = (settings: CliAgentSettings, resumed: string | null = null, model = 'default'): string =>
  wordsOf(cliAgent(settings, '.'), { model, conversation: resumed, resumes: resumed !== null }).join(' ')

it.each<[CliAgentSettings['preset'], string, string]>([
  [
    'claude',
    'claude -p --output-format stream-json --verbose --include-partial-messages --model m',
    'claude -p --output-format stream-json --verbose --include-partial-messages --model m --resume abc',
  ],
  ['codex', 'codex exec --json --model m -', 'codex exec --json --model m resume abc -'],
  ['gemini', 'gemini --output-format stream-json --model m', 'gemini --output-format stream-json --model m --resume abc'],
])('%s is known', (preset, anew, again) => {
  expect(words({ preset: preset! }, null, 'm')).toBe(anew)
  expect(words({ preset: preset! }, 'abc', 'm')).toBe(again)
})

it('leaves the model to the command when it is the default', () => {
  expect(words({ preset: 'codex' })).toBe('codex exec --json -')
})

it('takes what the operator says before what a preset says', () => {
  const settings: CliAgentSettings = {
    preset: 'claude',
    command: ['wrap', 'claude', '-p'],
    protocol: 'text',
    resumeArgs: ['-r', '{conversation}'],
  }
  expect(words(settings, '$&')).toBe('wrap claude -p -r $&')
  expect(cliAgent(settings, '/repo')).toMatchObject({ protocol: 'text', promptOn: 'stdin', cwd: '/repo', tenants: ['default'] })
})

it('leaves its tools to the host unless somebody says otherwise, and a preset always keeps its own', () => {
  const nativeTools = (settings: CliAgentSettings) => cliAgent(settings, '.').nativeTools
  expect(nativeTools({ command: ['a'] })).toBe('onbook')
  expect(nativeTools({ command: ['a'], nativeTools: 'provider' })).toBe('provider')
  for (const preset of ['claude', 'codex', 'gemini'] as const) expect(nativeTools({ preset, nativeTools: 'onbook' })).toBe('provider')
})
