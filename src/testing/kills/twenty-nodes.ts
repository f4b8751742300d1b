// A run of twenty nodes, and what its model says: always the same to the same messages, so that a run that is broken off ends like any other.
import type { Json } from '../../core/digest/digest.ts'
import type { Said } from '../models/loopback-chat.ts'

const SCOUT = 'local.test.scout'
export const HOME = 'home'
export const FACTS = { path: 'facts.txt', text: 'Water is wet.' }

const NOTING: Readonly<Record<string, number>> = { s2: 1, s5: 2, p1: 1, p3: 2 }
/** The same, once a person has approved each. */
const SIGNING: Readonly<Record<string, number>> = { s3: 1, p2: 2 }
const READING = ['s1', 's4']

export const AGENT: Json = { agentId: SCOUT, persona: 'Scout', session: HOME }

const scouts = ['s1', 's2', 's3', 's4', 's5', 's6']
const printers = ['p1', 'p2', 'p3', 'p4', 'p5']
const nodes = ['brief', ...scouts, 'gather', 'either', 'writer', 'critic', 'never', 'editor', ...printers, 'check', 'final']
const verdict = (right: string) => ({ condition: { type: 'equals', left: 'output.verdict', right } })

/** Fans out twice and in twice; leads back from the critic; one node is passed over. */
export const WORKFLOW: Json = {
  id: 'twenty',
  objective: 'Print what is known.',
  nodes: nodes.map(id => ({ id, ...(READING.includes(id) ? { agent: SCOUT } : {}) })),
  edges: [
    ...scouts.map(to => ({ from: 'brief', to })),
    ...scouts.map(from => ({ from, to: 'gather' })),
    { from: 's3', to: 'either', triggerRule: 'any_success' },
    { from: 's6', to: 'either', triggerRule: 'any_success', ...verdict('yes') },
    { from: 'gather', to: 'writer', contextPacks: [{ ref: 'style', text: 'Short sentences.' }] },
    { from: 'either', to: 'writer' },
    { from: 'writer', to: 'critic' },
    { from: 'critic', to: 'writer', repeats: 3, ...verdict('again') },
    { from: 'critic', to: 'never', ...verdict('bad') },
    { from: 'critic', to: 'editor', ...verdict('good') },
    ...printers.map(to => ({ from: 'editor', to })),
    ...printers.map(from => ({ from, to: 'check' })),
    { from: 'check', to: 'final' },
  ],
}

/** Tools that leave a line behind. */
export const MARKING: readonly string[] = ['note', 'sign']

/** One message as OpenAI's wire has it. */
export interface WireMessage {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly text?: string }[] | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
  readonly tool_call_id?: string
}

export const textOf = ({ content }: WireMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')

/** The asking node, from the text of the task. */
export function askedBy(messages: readonly WireMessage[]): { readonly run: string; readonly node: string } {
  const row = messages.flatMap(message => [...textOf(message).matchAll(/^- (\{"node":.*"run":.*\})$/gm)]).at(-1)
  if (row === undefined) throw new Error('nobody says whose task it is')
  return JSON.parse(row[1]!)
}

/** @param fresh gives an unused word, which distinguishes the calls */
export function say(messages: readonly WireMessage[], fresh: () => string): Said {
  const { node } = askedBy(messages)
  const last = messages.at(-1)!
  const text = (piece: string): Said => ({ pieces: [piece.slice(0, 3), piece.slice(3)] })
  const call = (name: string, given: object) => {
    const id = fresh()
    return { id, name, arguments: JSON.stringify({ ...given, ...(MARKING.includes(name) ? { mark: id } : {}) }) }
  }
  if (READING.includes(node))
    return last.role === 'tool'
      ? text(`${node} read: ${JSON.parse(textOf(last)).text}`)
      : { toolCalls: [call('workspace.read', { path: FACTS.path })] }
  const calls = (times: number, name: string) => Array.from({ length: times }, () => call(name, {}))
  const toolCalls = last.role === 'tool' ? [] : [...calls(NOTING[node] ?? 0, 'note'), ...calls(SIGNING[node] ?? 0, 'sign')]
  if (toolCalls.length > 0) return { toolCalls }
  const task = messages.map(textOf).findLast(one => one.includes('## Handoffs')) ?? ''
  if (node === 's6') return text('{"verdict":"no"}')
  if (node === 'writer') return text(`draft ${Number(/"note":(\d)/.exec(task)?.[1] ?? 0) + 1}`)
  if (node !== 'critic') return text(`${node} is done.`)
  const draft = Number(/^\| draft (\d)/m.exec(task)![1])
  return text(JSON.stringify({ verdict: draft < 3 ? 'again' : 'good', note: draft }))
}
