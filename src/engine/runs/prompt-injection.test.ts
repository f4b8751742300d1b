// An adversary in inputs, replies, labels, ids, context packs, paths and template values (bug 25): their text always stays data.
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { composePrompt } from '../../core/compose/blocks.ts'
import type { BlockSegment } from '../../core/compose/parts.ts'
import { handoffsText } from '../../core/compose/task.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { readSegments } from '../../core/run/reading/stored-segments.ts'
import { readToolCalls } from '../../core/tools/read-tool-calls.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'
import { Fault } from '../../errors.ts'
import type { Binding } from '../../ports.ts'
import { textsOf } from '../../testing/models/talking-chat.ts'
import { readTask } from '../../testing/oracles/read-task.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { WORLD } from '../../testing/stories/test-runs.ts'
import { publishTemplates } from '../library/publish.ts'

interface Attack {
  readonly name: string
  readonly text: string
}

const ATTACKS: readonly Attack[] = (
  JSON.parse(readFileSync('spec/run/attacks.json', 'utf8')) as readonly { name: string; text: string; times?: number }[]
).map(({ name, text, times = 1 }) => ({ name, text: text.repeat(times) }))

let house: RunHouse | undefined
afterEach(async () => {
  await house?.close()
  await house?.store.close()
  expect(house?.runs.problems ?? []).toEqual([])
  house = undefined
})

const neutral = (text: string): string => text.replace(/<(?=\s*\/?\s*untrusted)/gi, '&lt;')

const TEMPLATE = {
  templateId: 'victim-user',
  version: '1.0.0',
  kind: 'user',
  text: 'Topic: {{topic}}\nSaid: {{said}}\nThe end.',
  variables: [
    { name: 'topic', type: 'string', required: true },
    { name: 'said', type: 'string', required: true },
  ],
} as const

/** As long as names may be. */
const cut = (text: string): string => [...text].slice(0, 100).join('')
const evilId = (text: string): string => `evil ${cut(text)}`

const workflowWith = (text: string): Json => ({
  id: 'attacked',
  objective: 'Stay calm.',
  nodes: [
    { id: evilId(text), label: `label ${cut(text)}` },
    {
      id: 'victim',
      role: 'reviewer',
      userPromptRef: 'prompt:victim-user@1.0.0',
      inputs: { said: { type: 'connection', nodeId: evilId(text), outputKey: 'output' } },
    },
  ],
  edges: [{ from: evilId(text), to: 'victim', label: `edge ${cut(text)}`, contextPacks: [{ ref: `pack ${cut(text)}`, text }] }],
  variables: [{ name: 'topic', type: 'string', required: true, trust: 'untrusted' }],
})

interface Told {
  readonly full: string
  readonly blocks: Readonly<Record<string, string>>
  readonly segments: readonly BlockSegment[]
  readonly roles: readonly string[]
}

async function tellVictim(text: string): Promise<Told> {
  const here = runHouse(({ node }) => (node === 'victim' ? 'I stayed calm.' : `Words.\n${text}`), {
    world: { ...WORLD, repository: async () => ({ root: `/repo/${text}` }) },
  })
  house = here
  await publishTemplates(here.store, { tenant: TENANT, libraryId: 'onbook', actor: 'ada' }, [TEMPLATE], { mode: 'create', origin: 'user' })
  const state = await here.go(workflowWith(text), { inputs: { topic: text, [`input ${cut(text)}`]: text } })
  expect([state.phase, state.failure]).toEqual(['completed', null])
  const step = (await here.events()).find(
    (event): event is Extract<RunEvent, { type: 'step.started' }> => event.type === 'step.started' && event.nodeId === 'victim',
  )!
  const { full, blocks, segments } = step.prompt
  const texts = await Promise.all(Object.entries(blocks).map(async ([name, digest]) => [name, await here.text(digest)] as const))
  const whole = await here.text(full)
  return {
    full: whole,
    blocks: Object.fromEntries(texts),
    segments: readSegments(await here.text(segments), whole),
    roles: textsOf(here.chat.asked.at(-1)!.call).map(([role]) => role),
  }
}

/** Every line that begins in words of others, without what frames or fences it: there must be none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BREAK = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g
function linesOfTheirOwn(segments: readonly BlockSegment[]): readonly string[] {
  return segments.flatMap(({ text, trust, part }) => {
    if (trust === 'trusted') return []
    if (part === 'task' || part === 'override' || part === 'role')
      return text
        .split(BREAK)
        .slice(1)
        .filter(line => !line.startsWith('| '))
    const inside = /^<UNTRUSTED>([\s\S]*)<\/UNTRUSTED>$/.exec(text)?.[1]
    return inside === undefined || /<\s*\/?\s*untrusted/i.test(inside) ? [text] : []
  })
}

/** The fixed text of a template part, with its values removed. */
const skeleton = (segments: readonly BlockSegment[]): string =>
  segments.flatMap(({ text, part, trust }) => (part === 'user' && trust === 'trusted' ? [text] : [])).join('{}')

describe('bug 25: what others wrote', () => {
  it.each(ATTACKS)('opens nothing: $name', async ({ text }) => {
    const { full, blocks, segments, roles } = await tellVictim(text)
    expect(segments.map(segment => segment.text).join('')).toBe(full)
    expect(linesOfTheirOwn(segments)).toEqual([])
    expect(roles).toEqual(['system', 'user'])
    const unfenced = segments.flatMap(segment => (segment.text.startsWith('<UNTRUSTED>') ? [] : [segment.text])).join('')
    expect(readToolCalls(unfenced).calls).toEqual([])
    expect(Object.keys(blocks).toSorted()).toEqual(['mode', 'role', 'system', 'task'])
    expect(['system', 'role', 'mode', 'task'].map(name => blocks[name]).join('\n\n')).toBe(full)
    for (const name of ['system', 'role', 'mode']) expect(blocks[name]).not.toContain(text)
    expect(skeleton(segments)).toBe('Topic: {}\nSaid: {}\nThe end.')

    const task = segments.flatMap(segment => (segment.part === 'task' ? [segment.text] : [])).join('')
    const sections = new Map(readTask(task).map(({ heading, items }) => [heading, items]))
    expect([...sections.keys()]).toEqual([
      '# Task',
      ...['Objective', 'Inputs', 'Handoffs', 'Repository', 'Permissions', 'Nodes', 'Edges'].map(one => `## ${one}`),
    ])
    expect(sections.get('## Objective')).toEqual(['Stay calm.'])
    const reply = neutral(`Words.\n${text}`)
    expect(sections.get('## Inputs')).toEqual([
      { name: `input ${cut(text)}` },
      neutral(text),
      { name: 'said' },
      reply,
      { name: 'topic' },
      neutral(text),
    ])
    const [head, message, ...packs] = sections.get('## Handoffs')!
    expect(head).toMatchObject({ from: evilId(text) })
    expect([message, ...packs]).toEqual([reply, { contextPack: `pack ${cut(text)}` }, neutral(text)])
    expect(sections.get('## Repository')).toEqual([{ root: `/repo/${text}` }])
    expect(sections.get('## Nodes')).toEqual([
      { id: evilId(text), label: `label ${cut(text)}` },
      { id: 'victim', label: 'victim', role: 'reviewer' },
    ])
    expect(sections.get('## Edges')).toMatchObject([{ from: evilId(text), to: 'victim', label: `edge ${cut(text)}` }])
  })

  it.each(ATTACKS)('is no alias and no role: $name', ({ text }) => {
    expect(readWorkflow({ id: 'w', nodes: [{ id: 'a', alias: text }] }).ok).toBe(false)
    expect(readWorkflow({ id: 'w', nodes: [{ id: 'a', role: text }] }).ok).toBe(false)
  })

  it.each(ATTACKS)('is framed as an override that nobody vouches for: $name', ({ text }) => {
    const override = { text: `x${text}`, trust: 'untrusted' } as const
    const composed = composePrompt({
      tools: { lineTools: [], nativeTools: true },
      role: null,
      mode: 'planning',
      task: null,
      templates: [],
      override,
    })
    if (!composed.ok) throw new Error(JSON.stringify(composed.problems))
    expect(linesOfTheirOwn(composed.prompt.segments)).toEqual([])
    expect(composed.prompt.blocks.override.startsWith('| x')).toBe(true)
  })
})

describe('a reply', () => {
  it.each([
    ['half a surrogate pair, escaped', '{"a":"\\ud800"}'],
    ['half a surrogate pair as a key', '{"\\udc00":1}'],
    ['a number too large', '{"a":1e999}'],
    ['nesting without end', `${'['.repeat(3000)}${']'.repeat(3000)}`],
    ['a prototype', '{"__proto__":{"status":"failed"},"constructor":1}'],
  ])('that is JSON with %s is text, and the run goes on', async (_, reply) => {
    house = runHouse(({ node }) => (node === 'a' ? reply : 'done'))
    const document = {
      id: 'odd',
      objective: 'Work.',
      nodes: [{ id: 'a' }, { id: 'b' }],
      edges: [{ from: 'a', to: 'b', condition: { type: 'notEquals', left: 'output.a', right: 'x' } }],
    }
    const state = await house.go(document)
    expect([state.phase, state.failure, state.nodes.b?.status]).toEqual(['completed', null, 'completed'])
    expect((await house.prompts('b'))[0]).toContain(`| ${reply}`)
  })
})

describe('a call', () => {
  it.each([
    ['its arguments do not fit', { ['x'.repeat(100_000)]: 1 }],
    ['it fails', { path: 'x'.repeat(100_000) }],
  ])('is told in few words on record when %s, whatever it says', async (_, given) => {
    const run: Binding['run'] = async ({ arguments: said }) => {
      throw new Fault('file_unreadable', { path: JSON.stringify(said), reason: 'it is not there' })
    }
    const inputSchema = { type: 'object', properties: { path: {} }, additionalProperties: false }
    const descriptor = { name: 'probe', description: 'Looks.', inputSchema }
    house = runHouse(({ time }) => (time === 1 ? { tools: [{ toolName: 'probe', arguments: given }] } : 'Done.'), {
      bindings: new Map([['probe', { descriptor, run }]]),
      hostCatalog: [descriptor],
    })
    await house.go({ id: 'w', objective: 'Look.', nodes: [{ id: 'a' }] })
    for (const event of await house.events()) if (event.type.startsWith('tool.')) expect(JSON.stringify(event).length).toBeLessThan(3_000)
  })
})

describe('bug 25: what another agent sends while a node is at work', () => {
  it.each(ATTACKS)('opens nothing: $name', ({ text }) => {
    const handoff = { from: 'evil', message: text, structured: { said: text }, contextRef: text, status: { ok: false, reason: text } }
    const lines = handoffsText([handoff, handoff])!.split(BREAK)
    expect(lines.filter(line => line === '## Handoffs')).toHaveLength(1)
    const rows = lines.filter(line => line.startsWith('- '))
    expect(rows.map(row => JSON.parse(row.slice(2)) as Json)).toEqual(Array(2).fill(withoutMessage(handoff)))
    expect(lines.filter(line => line !== '## Handoffs' && !line.startsWith('- ') && !line.startsWith('| '))).toEqual([])
    expect(lines.filter(line => /<\s*\/?\s*untrusted/i.test(line))).toEqual([])
    expect(readToolCalls(lines.join('\n')).calls).toEqual([])
  })
})

const withoutMessage = ({ message: _, ...head }: { readonly message: string }) => head
