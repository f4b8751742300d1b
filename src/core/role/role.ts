// Folder: Role files with their heads, and the five shipped roles. A head that asks for a permission is not granted it.
// Reads a role file: a head with requests, and text for the model. A request grants nothing, and a file without a head
// requests nothing.
import type { Capability } from '../gate/capability.ts'
import { nearest } from '../pack/nearest.ts'
import type { Severity } from '../pack/place.ts'
import { type Position, positionsIn } from '../pack/place.ts'
import { shown } from '../resolve/prompt-ref.ts'
import { findSections } from '../template/sections.ts'
import { type HeadEntry, readHead } from './head.ts'
import type { HeadProblem, HeadText } from './head-value.ts'
import { readRequest } from './requests.ts'
import { roleNameProblem } from './role-name.ts'

export interface RoleFile {
  readonly name: string
  readonly version: string
  /** The requests that the gate knows, each once, in the order of the file. */
  readonly requests: readonly Capability[]
  /** Text for people and pages. Not enforced. */
  readonly constraints: readonly string[]
  /** For the model: without the head. */
  readonly text: string
  /** The whole file; it ends with `text`. */
  readonly raw: string
}

export interface RoleProblem {
  readonly severity: Severity
  readonly message: string
  readonly position: Position
  readonly suggestion?: string
}

/** A role with warnings is still usable. */
export type ReadRole =
  | { readonly ok: true; readonly role: RoleFile; readonly problems: readonly RoleProblem[] }
  | { readonly ok: false; readonly problems: readonly RoleProblem[] }

type Say = (severity: Severity, message: string, at: number, suggestion?: string) => void

const KEYS = ['name', 'version', 'capabilities', 'constraints']
const SECTIONS = ['Identity', 'Responsibilities', 'Constraints', 'Output style']
/** Role files of other houses call the last section so. */
const ALSO_OUTPUT = 'Output expectations'

/** @param name the file name without `.md`: the gate trusts the name, so content cannot choose it. */
export function readRole(raw: string, name: string): ReadRole {
  const head = readHead(raw)
  const problemList: HeadProblem[] = [...head.problems]
  const say: Say = (severity, message, at, suggestion) =>
    void problemList.push({ severity, message, at, ...(suggestion === undefined ? {} : { suggestion }) })

  const nameProblem = roleNameProblem(name)
  if (nameProblem !== null) say('error', nameProblem, 0)
  for (const [table, at] of head.tables) if (table !== 'template') say('warning', `Nothing reads a table [${shown(table)}]`, at)
  const entries = new Map(head.entries.filter(({ table }) => table === 'template').map(entry => [entry.key, entry]))
  sayUnknownKeys(entries, say)
  const headName = textOf(entries.get('name'), say)
  if (headName !== null && headName.text !== name)
    say('error', `The head says "name" is "${shown(headName.text)}", the file ${shown(name)}`, headName.at)
  const version = textOf(entries.get('version'), say)
  if (version !== null && version.text.trim() === '') say('error', '"version" is empty', version.at)
  const requests = requestsOf(listOf(entries.get('capabilities'), say), say)
  const constraints = listOf(entries.get('constraints'), say).map(({ text }) => text)
  const text = raw.slice(head.end)
  saySections(text, head.end, say)

  const problems = placed(raw, problemList)
  if (problems.some(({ severity }) => severity === 'error')) return { ok: false, problems }
  return { ok: true, role: { name, version: version?.text ?? '1', requests, constraints, text, raw }, problems }
}

function sayUnknownKeys(entries: ReadonlyMap<string, HeadEntry>, say: Say): void {
  for (const [key, { at }] of entries) {
    if (KEYS.includes(key)) continue
    const meant = nearest(key, KEYS)
    say('warning', `Nothing reads "${shown(key)}"`, at, meant === null ? `a head has ${KEYS.join(', ')}` : `write ${meant}`)
  }
}

function textOf(entry: HeadEntry | undefined, say: Say): HeadText | null {
  if (entry === undefined) return null
  if (entry.value.kind === 'text') return entry.value
  say('error', `"${entry.key}" must be text`, entry.value.at, `write ${entry.key} = "…"`)
  return null
}

function listOf(entry: HeadEntry | undefined, say: Say): readonly HeadText[] {
  if (entry === undefined) return []
  if (entry.value.kind === 'list') return entry.value.items
  say('error', `"${entry.key}" must be a list of texts`, entry.value.at, `write ${entry.key} = ["…"]`)
  return []
}

/** An unknown request is only a warning: it grants nothing. */
function requestsOf(items: readonly HeadText[], say: Say): readonly Capability[] {
  const requests = new Set<Capability>()
  for (const { text, at } of items) {
    const read = readRequest(text)
    if (!read.ok) say('warning', read.message, at, read.suggestion)
    else if (requests.has(read.request)) say('warning', `"${read.request}" is requested twice`, at)
    else requests.add(read.request)
  }
  return [...requests]
}

function saySections(text: string, start: number, say: Say): void {
  if (text.trim() === '') return say('error', 'The role says nothing to the model', start, `write ${SECTIONS.join(', ')}`)
  const plain = { source: text, nodes: [{ type: 'text' as const, text, at: { start: 0, end: text.length } }] }
  const matches = findSections(plain, [...SECTIONS, ALSO_OUTPUT])
  for (const name of SECTIONS) {
    const sections = matches.filter(section => section.name === name || (name === 'Output style' && section.name === ALSO_OUTPUT))
    const [first] = sections
    if (first === undefined) say('warning', `The section ${name} is missing`, start, `add a heading: ## ${name}`)
    else if (sections.every(({ empty }) => empty)) say('warning', `The section ${name} is empty`, start + first.at.start)
  }
}

/** In the order of the file. */
function placed(raw: string, problems: readonly HeadProblem[]): readonly RoleProblem[] {
  const positionAt = positionsIn(raw)
  return [...problems].sort((a, b) => a.at - b.at).map(({ at, ...problem }) => ({ ...problem, position: positionAt(at) }))
}
