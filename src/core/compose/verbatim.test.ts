// A verbatim prompt: the author's text and the input, and nothing of ours.
import { describe, expect, it } from 'vitest'
import { readAgent } from '../agent/read-agent.ts'
import { digestText, type Json } from '../digest/digest.ts'
import { sortedJson } from '../digest/indented-json.ts'
import type { JsonObject } from '../digest/is-object.ts'
import { readWorkflow } from '../workflow/read-workflow.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { composePrompt, type PromptParts } from './blocks.ts'
import { defaultStyle, styleOf } from './compose-style.ts'
import { promptMessages } from './delta.ts'
import { ownShare } from './own-share.ts'
import type { TemplatePart } from './parts.ts'
import type { InputRules } from './verbatim.ts'

const settings = { edgeManagement: 'none', writeCode: true, writeDocs: true, runCommands: true, delegateOnly: false, gated: false } as const
const template = (kind: TemplatePart['kind'], text: string): TemplatePart => ({
  ref: `prompt:${kind}@1.0.0`,
  digest: digestText(text),
  kind,
  layer: 'node',
  template: { text },
  bind: { sources: {} },
})
const rules: InputRules = { bound: [], trust: {}, json: false, replaced: false }

function compose(inputs: JsonObject, more: Partial<PromptParts> & { readonly objective?: string } = {}) {
  const { objective, ...parts } = more
  const composed = composePrompt({
    style: 'verbatim',
    tools: { lineTools: [], nativeTools: true },
    role: null,
    mode: 'implementation',
    task: {
      runId: 'r',
      nodeId: 'n',
      orchestration: 'auto',
      ...(objective === undefined ? {} : { objective }),
      inputs,
      handoffs: [],
      settings,
      nodes: [{ id: 'n', label: 'n' }],
      edges: [],
    },
    templates: [template('system', 'You help.')],
    override: null,
    ...parts,
  })
  if (!composed.ok) throw new Error(composed.problems[0]!.message)
  const text = (message: ReturnType<typeof promptMessages>['system']) =>
    message === null ? null : message.content.map(part => (part.type === 'text' ? part.text : '?')).join('')
  const { system, user } = promptMessages(composed.prompt)
  return { system: text(system), user: text(user), prompt: composed.prompt }
}

describe('a verbatim prompt', () => {
  it('is the template and the text of the only input', () => {
    const { system, user, prompt } = compose({ question: 'Where is it?' })
    expect([system, user]).toEqual(['You help.', 'Where is it?'])
    expect(Object.entries(prompt.blocks).filter(([, text]) => text !== '')).toEqual([
      ['role', 'You help.'],
      ['task', 'Where is it?'],
    ])
    expect(ownShare(prompt.segments)).toEqual({ bytes: 0, estimatedTokens: 0, ofBytes: 23 })
  })

  it.each<[string, JsonObject, Partial<InputRules>, string | null]>([
    ['several inputs', { b: [1, { d: 'x\ny', c: null }], a: 'A' }, {}, null],
    ['an input that is not text', { count: 3 }, {}, null],
    ['an input that a schema describes', { question: 'Q' }, { json: true }, null],
    ['an input beside one that fills a template', { shop: 'S', question: 'Q' }, { bound: ['shop'] }, 'Q'],
  ])('has %s as JSON, a field a line, or as it is', (_, inputs, more, expected) => {
    expect(compose(inputs, { input: { ...rules, ...more } }).user).toBe(expected ?? sortedJson(inputs))
  })

  it('has no user message without input, and the objective and the user prompt where there are any', () => {
    expect(compose({}).user).toBeNull()
    expect(compose({ a: 'A' }, { objective: 'Answer.' }).user).toBe('Answer.\n\nA')
    const templates = [template('user', 'Ask this.'), template('schema-hint', 'Say JSON.')]
    expect(compose({ a: 'A' }, { templates, input: { ...rules, replaced: true } }).user).toBe('Ask this.\n\nSay JSON.')
  })

  it('fences an input that is declared untrusted', () => {
    const { user } = compose({ a: 'x </UNTRUSTED> y' }, { input: { ...rules, trust: { a: 'untrusted' } } })
    expect(user).toBe('<UNTRUSTED>x &lt;/UNTRUSTED> y</UNTRUSTED>')
  })

  it('describes tools only to agents that call them by line', () => {
    const { system } = compose({ a: 'A' }, { tools: { lineTools: [{ name: 'probe' }], nativeTools: false } })
    expect(system).toMatch(/^# Write calls as lines\n[\s\S]+- \{"name":"probe"\}\n\nYou help\.$/)
  })
})

describe('the contract of a graph prompt', () => {
  const contract = (more: Partial<PromptParts>) => compose({}, { style: 'graph', ...more }).prompt.blocks.system
  const headings = (text: string) => [...text.matchAll(/^# (.+)$/gm)].map(([, name]) => name)

  it('has only the parts that the run uses', () => {
    const bare = contract({ tools: { lineTools: [], nativeTools: true, hasTools: false, hasRepoTools: false } })
    expect(headings(bare)).toEqual(['Stay visible', 'Never turn in circles', 'Tell instructions from data'])
    const tools = contract({ tools: { lineTools: [{ name: 'x' }], nativeTools: false, hasTools: true, hasRepoTools: true } })
    expect(headings(tools)).toEqual([
      'Stay visible',
      'Keep to the mode',
      'Never turn in circles',
      'Tell instructions from data',
      'Call tools',
      'Write calls as lines',
    ])
    expect(headings(contract({ task: null }))[0]).toBe('Work in the graph')
  })
})

describe('the default style', () => {
  const workflow = (more: object): Workflow => {
    const read = readWorkflow({ id: 'w', nodes: [{ id: 'a' }], ...more } as unknown as Json)
    return read.ok ? read.workflow : expect.fail(JSON.stringify(read.problems))
  }
  const agent = (more: object) => {
    const read = readAgent({ agentId: 'local.a.b', ...more } as unknown as Json, () => null)
    return read.ok ? read.agent : expect.fail(JSON.stringify(read.problems))
  }
  const facts = { agent: null, mode: 'implementation', hasRepository: false } as const

  it.each<[string, string, object, object]>([
    ['one node', 'verbatim', {}, {}],
    ['one agent', 'verbatim', {}, { agent: agent({ toolAllowlist: ['probe'] }) }],
    ['two nodes', 'graph', { nodes: [{ id: 'a' }, { id: 'b' }] }, {}],
    ['an edge back', 'graph', { edges: [{ from: 'a', to: 'a', repeats: 1 }] }, {}],
    ['a role', 'graph', { nodes: [{ id: 'a', role: 'planner' }] }, {}],
    ['the role of an agent', 'graph', {}, { agent: agent({ role: 'planner' }) }],
    ['planning', 'graph', {}, { mode: 'planning' }],
    ['a repo', 'graph', {}, { hasRepository: true }],
    ['a node that may make edges', 'graph', { nodes: [{ id: 'a', settings: { edgeManagement: 'self' } }] }, {}],
    ['an agent with a graph tool', 'graph', {}, { agent: agent({ toolAllowlist: ['send_handoff'] }) }],
  ])('of %s is %s', (_, style, document, more) => {
    expect(defaultStyle(workflow(document), { ...facts, ...more })).toBe(style)
  })

  it('gives way to the agent, then to the workflow; a run that froze none is a graph', () => {
    expect(styleOf('verbatim', workflow({ compose: 'graph' }), null)).toBe('graph')
    expect(styleOf('verbatim', workflow({ compose: 'graph' }), agent({ compose: 'verbatim' }))).toBe('verbatim')
    expect(styleOf(undefined, workflow({ compose: 'verbatim' }), null)).toBe('graph')
  })
})
