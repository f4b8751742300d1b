// Writes the task payload as text. Untrusted input appears in JSON rows and in lines that begin with `| `, so it opens no
// section, row or call.
import type { Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { Trust } from './bind.ts'
import { framed, oneLine } from './foreign.ts'
import type { Handoff, TaskPayload } from './task-payload.ts'

export interface TaskSegment {
  readonly text: string
  /** The field of the payload it came from; null for literal text of this file. Lists are numbered in printed order. */
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
  const sheet: Sheet = { segments: [], problems: [] }
  sayWhatIsMissing(task, sheet.problems)
  write(task, sheet)
  return sheet.problems.length === 0 ? { ok: true, segments: sheet.segments } : { ok: false, problems: sheet.problems }
}

/** Handoffs that arrive while a node works, framed like those it started with. Null when a handoff cannot be written. */
export function handoffsText(handoffs: readonly Handoff[]): string | null {
  const sheet: Sheet = { segments: [own('## Handoffs')], problems: [] }
  writeHandoffs(sheet, handoffs)
  return sheet.problems.length === 0 ? sheet.segments.map(({ text }) => text).join('') : null
}

/** Written from top to bottom, once for every step of every node: nothing is laid out before it is printed. */
interface Sheet {
  readonly segments: TaskSegment[]
  readonly problems: TaskProblem[]
}

const own = (text: string): TaskSegment => ({ text, from: null, trust: 'trusted' })
const BEFORE_ROW = own('\n- ')
const BEFORE_FRAME = own('\n')
const NONE = own('\n- none')

function write(task: TaskPayload, sheet: Sheet): void {
  const { runId, nodeId, orchestration, objective, definitionOfDone, inputs = {}, repository, settings, requests } = task
  sheet.segments.push(own('# Task'))
  row(sheet, 'task', { run: runId, node: nodeId, orchestration }, 'trusted')
  if (objective !== undefined) section(sheet, 'Objective', () => frame(sheet, 'objective', objective, 'trusted'))
  if (definitionOfDone !== undefined)
    section(sheet, 'Definition of done', () => frame(sheet, 'definitionOfDone', definitionOfDone, 'trusted'))
  section(sheet, 'Inputs', () => writeInputs(sheet, inputs))
  section(sheet, 'Handoffs', () => writeHandoffs(sheet, task.handoffs))
  if (repository !== undefined) section(sheet, 'Repository', () => row(sheet, 'repository', repository))
  section(sheet, 'Permissions', () => row(sheet, 'settings', { ...settings, requests }, 'trusted'))
  section(sheet, 'Nodes', () => rows(sheet, 'nodes', task.nodes.toSorted(byLabel)))
  section(sheet, 'Edges', () => rows(sheet, 'edges', task.edges.toSorted(byEnds)))
}

function section({ segments }: Sheet, name: string, writeLines: () => void): void {
  const length = segments.push(own(`\n\n## ${name}`))
  writeLines()
  if (segments.length === length) segments.push(NONE)
}

/** One JSON value. Canonical JSON leaves out missing fields. */
const row = (sheet: Sheet, from: string, value: object, trust: Trust = 'untrusted'): void =>
  line(sheet, BEFORE_ROW, oneLine(value as Json), from, trust)

/** Text, line by line. */
const frame = (sheet: Sheet, from: string, text: string, trust: Trust = 'untrusted'): void =>
  line(sheet, BEFORE_FRAME, text.isWellFormed() ? framed(text) : null, from, trust)

function rows(sheet: Sheet, from: string, values: readonly object[]): void {
  for (const [index, value] of values.entries()) row(sheet, `${from}.${index}`, value)
}

function line({ segments, problems }: Sheet, before: TaskSegment, text: string | null, from: string, trust: Trust): void {
  if (text !== null) segments.push(before, { text, from, trust })
  else problems.push({ code: 'task_value_invalid', message: `"${from}" of the task is not plain JSON in valid Unicode` })
}

function writeInputs(sheet: Sheet, inputs: JsonObject): void {
  for (const [index, name] of Object.keys(inputs).sort().entries()) {
    const value = inputs[name]!
    const from = `inputs.${index}`
    row(sheet, from, typeof value === 'string' ? { name } : { name, value })
    if (typeof value === 'string') frame(sheet, from, value)
  }
}

function writeHandoffs(sheet: Sheet, handoffs: readonly Handoff[]): void {
  for (const [index, { message, contextPacks = [], ...head }] of handoffs.entries()) {
    const from = `handoffs.${index}`
    row(sheet, from, head)
    frame(sheet, `${from}.message`, message)
    for (const [at, { ref, text }] of contextPacks.entries()) {
      row(sheet, `${from}.contextPacks.${at}`, { contextPack: ref })
      frame(sheet, `${from}.contextPacks.${at}`, text ?? '')
    }
  }
}

/** By UTF-16 units: the same in every locale. */
const by =
  <K extends string>(...keys: readonly K[]) =>
  (a: { readonly [key in K]?: string }, b: { readonly [key in K]?: string }): number => {
    for (const key of keys) {
      const left = a[key] ?? ''
      const right = b[key] ?? ''
      if (left !== right) return left < right ? -1 : 1
    }
    return 0
  }

/** In the order in which they are printed. */
export const byLabel = by('label', 'id')
export const byEnds = by('from', 'to', 'type', 'label')

function sayWhatIsMissing({ objective, nodeId, nodes, edges, handoffs }: TaskPayload, problems: TaskProblem[]): void {
  if (objective?.trim() === '') problems.push({ code: 'task_objective_missing', message: 'the task has no objective' })
  const named = new Set([nodeId])
  for (const { from, to } of edges) named.add(from).add(to)
  for (const { id } of nodes) named.delete(id)
  for (const id of named)
    problems.push({ code: 'task_node_missing', message: `the task speaks of node ${JSON.stringify(id)} and does not list it` })
  for (const { contextPacks = [] } of handoffs)
    for (const { ref, text } of contextPacks)
      if (text === null) problems.push({ code: 'context_pack_missing', message: `the context pack ${JSON.stringify(ref)} cannot be had` })
}
