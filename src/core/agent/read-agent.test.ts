import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { pointerText } from '../schema/pointer.ts'
import { schemaFault } from '../schema/schema-fault.ts'
import type { Agent } from './agent.ts'
import { agentFormat } from './agent-format.ts'
import { readAgent } from './read-agent.ts'

const TEXTS: Readonly<Record<string, string>> = { 'texts/writer.md': 'You write.', 'empty.md': '', 'long.md': 'x'.repeat(65_537) }
const textAt = (path: string) => TEXTS[path] ?? null

const sound = (value: object): Agent => {
  const read = readAgent(value as Json, textAt)
  return read.ok ? read.agent : expect.fail(JSON.stringify(read.problems))
}
const wrong = (value: Json | object): readonly string[] => {
  const read = readAgent(value as Json, textAt)
  return read.ok ? [] : read.problems.map(({ pointer, message }) => `${pointerText(pointer)} ${message}`)
}

/** Every field of OpenWOP's manifest. */
const MANIFEST = {
  agentId: 'vendor.acme.news.writer',
  persona: 'Writer',
  modelClass: 'writing',
  systemPrompt: 'You write.',
  promptLibraryRef: 'vendor.acme.style',
  promptOverrides: { user: 'prompt:request@1.0.0', 'few-shot': { templateId: 'examples' } },
  toolAllowlist: ['openwop:read'],
  requiresCapabilities: ['prompts'],
  memoryShape: { scratchpad: true },
  confidence: { defaultThreshold: 0.7 },
  handoff: { taskSchemaRef: 'schemas/task.json' },
  evalSuiteRef: 'evals/writer.json',
  label: 'W',
  description: 'Writes.',
}
const least = { agentId: 'local.news.writer' }

describe('an agent', () => {
  it('is read from a manifest of OpenWOP with every field', () =>
    expect(sound(MANIFEST)).toEqual({
      agentId: 'vendor.acme.news.writer',
      version: null,
      persona: 'Writer',
      label: 'W',
      description: 'Writes.',
      modelClass: 'writing',
      systemPrompt: 'You write.',
      promptOverrides: MANIFEST.promptOverrides,
      promptLibraryRef: 'vendor.acme.style',
      toolAllowlist: ['openwop:read'],
      role: null,
      session: null,
      model: { provider: null, model: null, maxTokens: null, reasoningEffort: null },
      settings: null,
      manifest: MANIFEST,
    }))

  it('needs only an id, and has no text of its own then', () =>
    expect(sound(least)).toMatchObject({
      persona: 'local.news.writer',
      label: null,
      modelClass: 'general',
      systemPrompt: null,
      promptOverrides: {},
      promptLibraryRef: null,
      toolAllowlist: null,
    }))

  it('is called by its label when it has no persona', () => expect(sound({ ...least, label: 'Writer' }).persona).toBe('Writer'))

  it('may say how it works', () =>
    expect(
      sound({
        ...least,
        version: '1.2.0',
        role: 'planner',
        session: 'desk',
        provider: 'p',
        model: 'm',
        maxTokens: 10,
        reasoningEffort: 'high',
        settings: { writeDocs: true, gated: false },
        promptOverrides: { system: 'prompt:writer@production' },
        toolAllowlist: [],
      }),
    ).toMatchObject({
      version: '1.2.0',
      role: 'planner',
      session: 'desk',
      model: { provider: 'p', model: 'm', maxTokens: 10, reasoningEffort: 'high' },
      settings: { writeDocs: true, gated: false },
      toolAllowlist: [],
    }))

  it('has its text in a file beside it', () =>
    expect(sound({ ...least, systemPromptRef: 'texts/writer.md' })).toMatchObject({
      systemPrompt: 'You write.',
      manifest: { systemPromptRef: 'texts/writer.md' },
    }))
})

const ID_FORM = '<scope>.<group>.<name> with the scope core, vendor, community, private or local, as in local.newsroom.writer'

describe('what is wrong is said by place', () => {
  const but = (fields: object) => ({ ...least, ...fields })
  const digest = `sha256:${'0'.repeat(64)}`
  it.each<[string, Json | object, unknown[]]>([
    ['no object', 'writer', [' The agent must be an object, not a string']],
    ['no id', {}, [' The agent has no "agentId"']],
    ['an id of one part', { agentId: 'local.writer' }, [`/agentId "agentId" has the wrong form: "local.writer". Write ${ID_FORM}`]],
    ['an id of nobody', { agentId: 'acme.news.writer' }, [`/agentId "agentId" has the wrong form: "acme.news.writer". Write ${ID_FORM}`]],
    ['a temperature that no provider takes', but({ temperature: 3 }), ['/temperature "temperature" is 3: at most 2 is allowed']],
    [
      'options that fill a request',
      but({ providerOptions: { a: 'x'.repeat(16_384) } }),
      ['/providerOptions "providerOptions" has 16392 bytes of JSON: at most 16384 are allowed'],
    ],
    [
      'a key that nobody knows',
      but({ promptOverride: {} }),
      ['/promptOverride There is no "promptOverride" here: did you mean "promptOverrides"?'],
    ],
    [
      'a setting that nobody knows',
      but({ settings: { writeCod: true } }),
      ['/settings/writeCod There is no "writeCod" here: did you mean "writeCode"?'],
    ],
    ['no persona', but({ persona: '' }), ['/persona "persona" is empty']],
    ['a persona that is a digest', but({ persona: digest }), [expect.stringMatching('^/persona ')]],
    [
      'a class that there is not',
      but({ modelClass: 'vision' }),
      [expect.stringMatching('^/modelClass "modelClass" must be one of reasoning, writing')],
    ],
    ['a version that is none', but({ version: '1' }), ['/version "version" has the wrong form: "1"']],
    ['no text', but({ systemPrompt: '' }), ['/systemPrompt "systemPrompt" is empty']],
    [
      'two texts',
      but({ systemPrompt: 'a', systemPromptRef: 'texts/writer.md' }),
      ['/systemPromptRef The agent has both "systemPrompt" and "systemPromptRef": keep one'],
    ],
    [
      'a text that is not there',
      but({ systemPromptRef: 'writer.md' }),
      ['/systemPromptRef There is no file writer.md in the folder of this agent'],
    ],
    ['a text that is empty', but({ systemPromptRef: 'empty.md' }), ['/systemPromptRef empty.md is empty']],
    [
      'a text without end',
      but({ systemPromptRef: 'long.md' }),
      ['/systemPromptRef long.md has 65537 characters: at most 65536 are allowed'],
    ],
    ...['../a.md', '/a.md', 'a/../../b.md', './a.md', 'C:\\a.md', 'a//b', 'a\0', '.git/config'].map((path): [string, object, unknown[]] => [
      `the path ${JSON.stringify(path)}`,
      but({ systemPromptRef: path }),
      [expect.stringMatching('^/systemPromptRef .* leads out of the folder, or is not a path')],
    ]),
    ['a ref that is none', but({ promptOverrides: { system: 'writer' } }), [expect.stringMatching('^/promptOverrides/system Not a ref')]],
    ['a ref of no kind', but({ promptOverrides: { assistant: 'prompt:a' } }), ['/promptOverrides/assistant There is no "assistant" here']],
    ['a role that is a device', but({ role: 'nul' }), ['/role "nul" is no name of a role: on Windows it is a device']],
    ['a library that is none', but({ promptLibraryRef: 'A' }), ['/promptLibraryRef "promptLibraryRef" has the wrong form: "A"']],
    ['half a surrogate pair', but({ systemPrompt: '\udc00' }), [' The agent holds an invalid number, or half a surrogate pair']],
  ])('%s', (_, value, expected) => expect(wrong(value)).toEqual(expected))
})

describe('an agent from anywhere', () => {
  it('never throws', () => {
    const keys = fc.constantFrom(...Object.keys(agentFormat.properties), '__proto__', 'constructor')
    const shaped = fc.dictionary(
      keys,
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('a', 'texts/writer.md', 'local.a.b', [], {})),
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped), value => {
        expect(typeof readAgent(value as Json, textAt).ok).toBe('boolean')
      }),
      { numRuns: 1000 },
    )
  })

  it('is looked at no deeper than it may be', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(wrong({ ...least, memoryShape: { deep } })).toEqual([' The agent is nested more than 64 deep'])
  })
})

it('has a schema that is one, and is published', () => {
  expect(schemaFault(agentFormat as unknown as Json)).toBeNull()
  expect(JSON.parse(readFileSync('schemas/agent.schema.json', 'utf8'))).toEqual(agentFormat)
})
