// Tests the task as text: a reader who knows the framing can parse it, and input cannot break out of the framing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileText } from '../../testing/arbitraries/hostile-text.ts'
import type { Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import { framed, oneLine } from './foreign.ts'
import { taskText } from './task.ts'
import type { Handoff, TaskPayload } from './task-payload.ts'

const settings = {
  edgeManagement: 'none',
  writeCode: true,
  writeDocs: true,
  runCommands: false,
  delegateOnly: false,
  gated: false,
} as const
const task = (more: Partial<TaskPayload> = {}): TaskPayload => ({
  runId: 'r1',
  nodeId: 'n1',
  orchestration: 'auto',
  objective: 'Write it.',
  handoffs: [],
  settings,
  nodes: [{ id: 'n1', label: 'Writer' }],
  edges: [],
  ...more,
})

function textOf(payload: TaskPayload): string {
  const result = taskText(payload)
  if (!result.ok) throw new Error(result.problems.map(({ code }) => code).join())
  return result.segments.map(({ text }) => text).join('')
}

/** Every character sequence that a reader could take for a line break. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const LINES = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/
const neutral = (text: string): string => text.replace(/<(?=\s*\/?\s*untrusted)/gi, '&lt;')

/** A reader that knows the framing and nothing of the payload. Throws at a line that it does not know. */
function read(text: string): readonly (readonly [heading: string, items: readonly Json[]])[] {
  const sections: [string, Json[]][] = []
  for (const match of text.matchAll(new RegExp(`(.*?)(${LINES.source}|$)`, 'gsy'))) {
    const [, line = '', end = ''] = match
    const items = sections.at(-1)?.[1]
    if (line.startsWith('| ')) items!.push(`${line.slice(2)}${end}`)
    else if (/^##? [A-Z]/.test(line)) sections.push([line, []])
    else if (line.startsWith('- {')) items!.push(JSON.parse(line.slice(2)))
    else if (line !== '' && line !== '- none') throw new Error(`a line of its own: ${JSON.stringify(line)}`)
  }
  return sections.map(([heading, items]) => [heading, joined(items)])
}

/** Lines of one frame make one text; the line break after its last line is ours. */
function joined(items: readonly Json[]): readonly Json[] {
  const found: Json[] = []
  for (const item of items)
    if (typeof item === 'string' && typeof found.at(-1) === 'string') found.push(`${found.pop()}${item}`)
    else found.push(item)
  return found.map(item => (typeof item === 'string' ? item.replace(/\n$/, '') : item))
}

const name = fc.oneof(hostileText, fc.string({ minLength: 1, maxLength: 5 }))
const anyHandoff: fc.Arbitrary<Handoff> = fc.record(
  {
    from: name,
    message: hostileText,
    structured: fc.dictionary(name, hostileText),
    artifacts: fc.array(fc.record({ type: name, ref: hostileText }), { maxLength: 2 }),
    status: fc.record({ ok: fc.boolean(), reason: hostileText }),
    contextPacks: fc.array(fc.record({ ref: hostileText, text: hostileText }), { maxLength: 2 }),
  },
  { requiredKeys: ['from', 'message'] },
)
const anyTask = fc
  .record({
    objective: hostileText,
    definitionOfDone: hostileText,
    inputs: fc.dictionary(name, fc.oneof(hostileText, fc.jsonValue() as fc.Arbitrary<Json>), { maxKeys: 3 }),
    handoffs: fc.array(anyHandoff, { maxLength: 3 }),
    repository: fc.record({ root: hostileText, branch: hostileText, changedFiles: fc.array(hostileText, { maxLength: 3 }) }),
    nodes: fc.uniqueArray(fc.record({ id: name, label: hostileText, alias: hostileText, role: hostileText }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ id }) => id,
    }),
    label: hostileText,
  })
  .map(({ label, ...given }) => {
    const ids = given.nodes.map(({ id }) => id)
    const edges = ids.map(from => ({ from, to: ids[0]!, type: 'handoff' as const, bidirectional: true, label }))
    return task({ ...given, objective: `x${given.objective}`, nodeId: ids[0]!, edges })
  })

describe('foreign text', () => {
  it('can be read back, and opens no section and no row', () => {
    fc.assert(
      fc.property(anyTask, payload => {
        const sections = new Map(read(textOf(payload)))
        const headings = ['Objective', 'Definition of done', 'Inputs', 'Handoffs', 'Repository', 'Permissions', 'Nodes', 'Edges']
        expect([...sections.keys()]).toEqual(['# Task', ...headings.map(heading => `## ${heading}`)])
        expect(sections.get('## Objective')).toEqual([neutral(payload.objective!)])
        expect(sections.get('## Definition of done')).toEqual([neutral(payload.definitionOfDone!)])
        expect(sections.get('## Inputs')).toEqual(expectedInputs(payload.inputs!))
        expect(sections.get('## Handoffs')).toEqual(payload.handoffs.flatMap(expectedHandoff))
        expect(sections.get('## Repository')).toEqual([payload.repository])
        expect(new Set(sections.get('## Nodes'))).toEqual(new Set(payload.nodes))
        expect(new Set(sections.get('## Edges'))).toEqual(new Set(payload.edges))
      }),
      { numRuns: 500 },
    )
  })

  const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value))
  const expectedInputs = (inputs: JsonObject): readonly Json[] =>
    Object.keys(inputs)
      .toSorted()
      .flatMap(key =>
        typeof inputs[key] === 'string' ? [{ name: key }, neutral(inputs[key])] : [{ name: key, value: plain(inputs[key]) }],
      )
  const expectedHandoff = ({ message, contextPacks = [], ...head }: Handoff): readonly Json[] => [
    plain(head),
    neutral(message),
    ...contextPacks.flatMap(({ ref, text }) => [{ contextPack: ref }, neutral(text!)]),
  ]

  it('writes no marker and no line that a model could repeat as a call', () => {
    fc.assert(
      fc.property(anyTask, payload => {
        const text = textOf(payload)
        expect(text).not.toMatch(/<\s*\/?\s*untrusted/i)
        for (const line of text.split(LINES)) expect(line.trim().startsWith('{')).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it('is known by its segment, field by field', () => {
    const result = taskText(task({ handoffs: [{ from: 'n2', message: 'a\nb' }] }))
    const found = result.ok ? result.segments.filter(({ from }) => from?.startsWith('handoffs')) : []
    expect(found).toEqual([
      { text: '{"from":"n2"}', from: 'handoffs.0', trust: 'untrusted' },
      { text: '| a\n| b', from: 'handoffs.0.message', trust: 'untrusted' },
    ])
  })

  it('is framed in time that grows with its length', () => {
    const long = `<${' '.repeat(1_000_000)}`
    expect(framed(long)).toHaveLength(long.length + 2)
    expect(oneLine(long)).toHaveLength(long.length + 2)
  })
})

describe('what is not there', () => {
  const missing: readonly [string, Partial<TaskPayload>][] = [
    ['task_objective_missing', { objective: ' \n' }],
    ['task_node_missing', { nodeId: 'n9' }],
    ['task_node_missing', { edges: [{ from: 'n1', to: 'gone', type: 'report', bidirectional: false }] }],
    ['context_pack_missing', { handoffs: [{ from: 'n1', message: 'm', contextPacks: [{ ref: 'pack:x', text: null }] }] }],
    ['task_value_invalid', { objective: 'half a pair: \ud800' }],
    ['task_value_invalid', { inputs: { x: ['\udc00'] } }],
  ]
  it.each(missing)('is refused with %s', (code, more) => {
    const result = taskText(task(more))
    expect(result.ok ? [] : result.problems.map(problem => problem.code)).toEqual([code])
  })

  it('is no section where nobody asked for it, and "none" where a list is empty', () => {
    const text = textOf(task())
    expect(text).not.toMatch(/Definition of done|Repository/)
    expect(text).toContain('## Edges\n- none')
  })
})

describe('order', () => {
  const labels = ['ä', 'Z', 'a', 'B', 'İ', 'i']
  const nodes = labels.map((label, index) => ({ id: `n${index}`, label }))

  it('is by code units, whatever the locale and whatever the order given', () => {
    const text = textOf(task({ nodes, nodeId: 'n0' }))
    expect([...text.matchAll(/"label":"(.)"/g)].map(match => match[1])).toEqual(['B', 'Z', 'a', 'i', 'ä', 'İ'])
    expect(textOf(task({ nodes: nodes.toReversed(), nodeId: 'n0' }))).toBe(text)
  })

  it('of handoffs is the order of arrival', () => {
    const handoffs = ['b', 'a'].map(message => ({ from: 'n1', message }))
    expect(textOf(task({ handoffs }))).toMatch(/\| b\n.*\| a\n/s)
  })
})
