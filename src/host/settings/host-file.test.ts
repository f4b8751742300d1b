// Tests onbook.host.yaml: the allowed settings, and the place of each problem.
import { describe, expect, it } from 'vitest'
import { capabilityDocument, DEFAULT_CONFIG, type HostConfig } from '../config.ts'
import { DEFAULT_LIMITS } from '../limits/limits.ts'
import { readHostFile } from './host-file.ts'

describe('onbook.host.yaml', () => {
  it.each(['', '# nothing yet\n', '{}'])('asks for nothing when it says nothing: %j', text => {
    expect(readHostFile(text)).toEqual({ config: DEFAULT_CONFIG, problems: [] })
  })

  it('sets what it names and leaves the rest', () => {
    const text =
      'agentBindings: false\nobservability: hashed\nhostDefaults:\n  system: prompt:house@1.0.0\n  few-shot: { templateId: shots }\n'
    const { config, problems } = readHostFile(text)
    expect(problems).toEqual([])
    expect(config).toEqual({
      ...DEFAULT_CONFIG,
      agentBindings: false,
      observability: 'hashed',
      hostDefaults: { system: 'prompt:house@1.0.0', 'few-shot': { templateId: 'shots' } },
    })
  })

  it('sets the limits that it names and leaves the others', () => {
    const { config, problems } = readHostFile('limits:\n  requestsPerMinute: 0\n  streams: 20\n')
    expect(problems).toEqual([])
    expect(config).toEqual({ ...DEFAULT_CONFIG, limits: { ...DEFAULT_LIMITS, requestsPerMinute: 0, streams: 20 } })
  })

  it('can set every limit to what it is', () => {
    const { config, problems } = readHostFile(JSON.stringify({ limits: DEFAULT_LIMITS }))
    expect({ config, problems }).toEqual({ config: DEFAULT_CONFIG, problems: [] })
  })

  it('names command-line agents, with a preset or word by word', () => {
    const text = "cliAgents:\n  claude: { preset: claude, env: [A_KEY] }\n  other: { command: [my-agent, 'two words'], protocol: jsonl }\n"
    const { config, problems } = readHostFile(text)
    expect(problems).toEqual([])
    expect(config).toEqual({
      ...DEFAULT_CONFIG,
      cliAgents: { claude: { preset: 'claude', env: ['A_KEY'] }, other: { command: ['my-agent', 'two words'], protocol: 'jsonl' } },
    })
    expect(JSON.stringify(capabilityDocument(config))).not.toContain('my-agent')
  })

  it('binds repo tools by name, within limits, and advertises none', () => {
    const tools = {
      bind: ['read_file', 'command'],
      env: ['NODE_ENV'],
      protect: ['infra'],
      hide: ['/srv/keys'],
      limits: { commandMs: 1000 },
    }
    const { config, problems } = readHostFile(JSON.stringify({ tools }))
    expect({ config, problems }).toEqual({ config: { ...DEFAULT_CONFIG, tools }, problems: [] })
    expect(JSON.stringify(capabilityDocument(config))).not.toContain('read_file')
  })

  const wrong: readonly [string, string, RegExp][] = [
    ['an unknown setting', 'agentBinding: true', /^line 1, column 1: there is no setting "agentBinding"$/],
    ['an unknown kind', 'hostDefaults:\n  tool: prompt:x', /line 2, .*there is no setting "tool"/],
    ['a wrong type', 'agentBindings: yes please', /line 1, .*"agentBindings" must be boolean/],
    ['a mode that there is not', 'observability: some', /line 1, .*"observability" must be one of off, hashed, full/],
    ['more than OpenWOP allows', 'maxTemplateBytes: 65537', /line 1, .*"maxTemplateBytes" must be <= 65536/],
    ['a ref that is none', 'hostDefaults:\n  user: "prompt:Not Valid"', /line 2, .*the default for user is not a ref/],
    ['a label, which no ref of OpenWOP may name', 'hostDefaults:\n  user: prompt:writer@production', /line 2, .*is not a ref/],
    ['a limit that there is not', 'limits:\n  requests: 5', /line 2, .*there is no setting "requests"/],
    ['a limit that is none', 'limits:\n  streams: 0', /line 2, .*"limits.streams" must be >= 1/],
    ['a limit with a fraction', 'limits:\n  requestsPerMinute: 0.5', /line 2, .*"limits.requestsPerMinute" must be integer/],
    ['a time that no timer keeps', 'limits:\n  keepAliveMs: 2147483648', /line 2, .*"limits.keepAliveMs" must be <= 2147483647/],
    [
      'an agent with a command for a shell',
      'cliAgents:\n  a:\n    command: my-agent --json',
      /line 3, .*"cliAgents.a.command" must be array/,
    ],
    ['an agent that is a provider already', 'cliAgents:\n  openai: { preset: codex }', /line 2, .*"openai" is a provider already/],
    ['an agent that nothing can start', 'cliAgents:\n  a: { protocol: text }', /line 2, .*neither a preset nor a command/],
    ['an agent with a name that is none', 'cliAgents:\n  A b: { preset: codex }', /line 2, .*there is no setting "A b"/],
    ['an unknown setting of an agent', 'cliAgents:\n  a: { preset: codex, shell: true }', /line 2, .*there is no setting "shell"/],
    ['a variable with its value', 'cliAgents:\n  a: { preset: codex, env: [A=b] }', /line 2, .*"cliAgents.a.env.0" must match/],
    ['a silence that no client keeps', 'modelCalls: { idleMs: 300001 }', /line 1, .*"modelCalls.idleMs" must be <= 300000/],
    ['a tool that there is not', 'tools: { bind: [shell] }', /line 1, .*"tools.bind.0" must be/],
    ['a tool twice', 'tools: { bind: [command, command] }', /line 1, .*"tools.bind" must/],
    ['tools that do not say which', 'tools: { env: [A] }', /line 1, .*bind/],
    [
      'a file that could not be told',
      'tools: { bind: [], limits: { readBytes: 1048577 } }',
      /line 1, .*"tools.limits.readBytes" must be <= 1048576/,
    ],
    ['a path that reads as a digest', 'tools: { bind: [], hide: ["sha256:x"] }', /line 1, .*"tools.hide.0" must match/],
    ['a list', '- supported', /must be object/],
    ['YAML that is none', 'supported: [', /line \d/],
    ['a setting twice', 'supported: true\nsupported: false', /line 2/],
  ]
  it.each(wrong)('is refused whole for %s', (_, text, message) => {
    const { config, problems } = readHostFile(text)
    expect(problems[0]).toMatch(message)
    expect(config).toEqual(DEFAULT_CONFIG)
  })
})

it('is not judged by its settings where it is no YAML', () => {
  expect(readHostFile('a: [').problems).toEqual([expect.stringMatching(/^line 1, (?!.*no setting)/)])
})

it('is what the host advertises', () => {
  const config: HostConfig = { ...DEFAULT_CONFIG, supported: false, agentBindings: false, endpointsSupported: false }
  expect(capabilityDocument(config)).toMatchObject({
    prompts: { supported: false, agentBindings: false, endpointsSupported: false, mutableLibrary: false },
  })
})
