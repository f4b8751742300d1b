// The task payload as text. What others wrote stands in JSON rows and in lines that begin with `| `, so it opens no section, row or call.
import type { Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { Trust } from './bind.ts'
import { framed, oneLine } from './foreign.ts'
import type { Handoff, TaskPayload } from './task-payload.ts'

export interface TaskSegment {
  readonly text: string
  /** The field of the payload it came from; null for the words of this file. Lists count as they are printed. */
  readonly from: string | null
  readonly trust: Trust
}

export interface TaskProblem {
  readonly code: 'task_objective_missing' | 'task_node_missing' | 'context_pack_missing' | 'task_value_invalid'
  readonly message: string
}

export type TaskText =
  | { readonly ok: true; readonly segments: readonly TaskSegment[] }
  | { readonly ok: false; readonly problems: readonly TaskProblem[] }

export function taskText(task: TaskPayload): TaskText {
  const problems: TaskProblem[] = [...whatIsMissing(task)]
  const segments = sectionsOf(task).flatMap(({ heading, lines }) => [
    own(heading),
    ...(lines.length === 0 ? [own('\n- none')] : lines.flatMap(line => printed(line, problems))),
  ])
  return problems.length === 0 ? { ok: true, segments } : { ok: false, problems }
}

const own = (text: string): TaskSegment => ({ text, from: null, trust: 'trusted' })

/** A row holds one JSON value; a frame holds text, line by line. */
type Line = { readonly from: string; readonly trust: Trust } & ({ readonly row: Json } | { readonly frame: string })

interface Section {
  readonly heading: string
  readonly lines: readonly Line[]
}

function sectionsOf(task: TaskPayload): readonly Section[] {
  const { runId, nodeId, orchestration, objective, definitionOfDone, repository, settings, requests } = task
  return [
    { heading: '# Task', lines: [row('task', { run: runId, node: nodeId, orchestration }, 'trusted')] },
    section('Objective', [frame('objective', objective, 'trusted')]),
    ...(definitionOfDone === undefined ? [] : [section('Definition of done', [frame('definitionOfDone', definitionOfDone, 'trusted')])]),
    section('Inputs', inputLines(task.inputs ?? {})),
    section('Handoffs', task.handoffs.flatMap(handoffLines)),
    ...(repository === undefined ? [] : [section('Repository', [row('repository', repository)])]),
    section('Permissions', [row('settings', { ...settings, requests }, 'trusted')]),
    section('Nodes', rows('nodes', task.nodes.toSorted(by('label', 'id')))),
    section('Edges', rows('edges', task.edges.toSorted(by('from', 'to', 'type', 'label')))),
  ]
}

const section = (name: string, lines: readonly Line[]): Section => ({ heading: `\n\n## ${name}`, lines })
/** Fields that are not there are left out by canonical JSON. */
const row = (from: string, value: object, trust: Trust = 'untrusted'): Line => ({ from, trust, row: value as Json })
const rows = (from: string, values: readonly object[]): readonly Line[] => values.map((value, index) => row(`${from}.${index}`, value))
const frame = (from: string, text: string, trust: Trust = 'untrusted'): Line => ({ from, trust, frame: text })

function inputLines(inputs: JsonObject): readonly Line[] {
  return Object.keys(inputs)
    .toSorted()
    .flatMap((name, index) => {
      const value = inputs[name]!
      const from = `inputs.${index}`
      return typeof value === 'string' ? [row(from, { name }), frame(from, value)] : [row(from, { name, value })]
    })
}

function handoffLines({ message, contextPacks = [], ...head }: Handoff, index: number): readonly Line[] {
  const from = `handoffs.${index}`
  return [
    row(from, head),
    frame(`${from}.message`, message),
    ...contextPacks.flatMap(({ ref, text }, at) => [
      row(`${from}.contextPacks.${at}`, { contextPack: ref }),
      frame(`${from}.contextPacks.${at}`, text ?? ''),
    ]),
  ]
}

/** By UTF-16 units: the same everywhere, whatever the locale. */
const by =
  <K extends string>(...keys: readonly K[]) =>
  (a: { readonly [key in K]?: string }, b: { readonly [key in K]?: string }): number => {
    for (const key of keys) {
      const [left, right] = [a[key] ?? '', b[key] ?? '']
      if (left !== right) return left < right ? -1 : 1
    }
    return 0
  }

function printed(line: Line, problems: TaskProblem[]): readonly TaskSegment[] {
  const { from, trust } = line
  const text = 'frame' in line ? (line.frame.isWellFormed() ? framed(line.frame) : null) : oneLine(line.row)
  if (text !== null) return [own('frame' in line ? '\n' : '\n- '), { text, from, trust }]
  problems.push({ code: 'task_value_invalid', message: `"${from}" of the task is not plain JSON in valid Unicode` })
  return []
}

function* whatIsMissing({ objective, nodeId, nodes, edges, handoffs }: TaskPayload): Generator<TaskProblem> {
  if (objective.trim() === '') yield { code: 'task_objective_missing', message: 'the task has no objective' }
  const known = new Set(nodes.map(({ id }) => id))
  for (const id of new Set([nodeId, ...edges.flatMap(({ from, to }) => [from, to])]))
    if (!known.has(id)) yield { code: 'task_node_missing', message: `the task speaks of node ${JSON.stringify(id)} and does not list it` }
  for (const { ref, text } of handoffs.flatMap(({ contextPacks = [] }) => contextPacks))
    if (text === null) yield { code: 'context_pack_missing', message: `the context pack ${JSON.stringify(ref)} cannot be had` }
}
