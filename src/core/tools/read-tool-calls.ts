// Reads the tool calls in a model's text, the problems of malformed ones, and the remaining message. Runtime and display
// both use it. Runs nothing.
import type { JsonObject } from '../digest/is-object.ts'
import { fencesAfter, isFenced, NO_FENCE } from './fence.ts'
import type { DiagnosticCode } from './tool-call-diagnostics.ts'
import { isWrapper, type LineReading, type MeantCall, readLine, TEXT } from './tool-call-line.ts'

export interface TextToolCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** From 1. */
  readonly line: number
  /** The text gave none that could be used. */
  readonly idGenerated?: true
}

export interface ToolCallDiagnostic {
  readonly code: DiagnosticCode
  /** From 1. */
  readonly line: number
  /** For a line that was meant as a call and names a tool. */
  readonly meant?: MeantCall
}

export interface ReadToolCalls {
  readonly calls: readonly TextToolCall[]
  /** By line. */
  readonly diagnostics: readonly ToolCallDiagnostic[]
  /** The lines that are not run as calls: they are shown. The whole text when it contains no calls. */
  readonly message: string
}

export interface ToolCallOptions {
  /** Names that may be called; default: the built-in tools. */
  readonly tools?: ReadonlySet<string>
  /** Ids of the same response that are in use: its native calls. */
  readonly taken?: ReadonlySet<string>
  /** Lines, from 1, on which another message of the same reply begins: no fence reaches over them. */
  readonly starts?: ReadonlySet<number>
  /** An id for the call on this line. */
  readonly newId?: (line: number) => string
}

export const BUILT_IN: ReadonlySet<string> = new Set([
  'command',
  'read_file',
  'write_file',
  'list_files',
  'delete_file',
  'spawn_node',
  'create_edge',
  'send_handoff',
])

export function readToolCalls(text: string, options: ToolCallOptions = {}): ReadToolCalls {
  const { tools = BUILT_IN, taken = new Set(), starts = new Set(), newId = line => `call-${line}` } = options
  const lines = text.split('\n')
  const readings = classifyLines(lines, tools, starts)
  // Explicit ids come first: a generated one must not take the id of a later line.
  const ids = new Set([...taken, ...readings.flatMap(reading => (reading.kind === 'tool' ? (reading.id ?? []) : []))])
  const used = new Set(taken)
  const calls: TextToolCall[] = []
  const diagnostics: ToolCallDiagnostic[] = []
  const textLines: string[] = []
  readings.forEach((reading, index) => {
    const line = index + 1
    const refused = refusalOf(reading, used)
    if (refused !== null) diagnostics.push({ ...refused, line })
    if (refused !== null || reading.kind !== 'tool') {
      textLines.push(lines[index]!)
      return
    }
    const { name, args, notes } = reading
    const id = reading.id ?? unusedId(newId(line), ids, used)
    used.add(id)
    calls.push({ id, name, args, line, ...(reading.id === null ? { idGenerated: true } : {}) })
    diagnostics.push(...notes.map(code => ({ code, line })))
  })
  return { calls, diagnostics, message: calls.length === 0 ? text : textLines.join('\n').trim() }
}

/** One reading a line, in order. */
export function classifyLines(
  lines: readonly string[],
  tools: ReadonlySet<string>,
  starts: ReadonlySet<number> = new Set(),
): readonly LineReading[] {
  let read = lineReader(tools)
  return lines.map((line, index) => {
    if (starts.has(index + 1)) read = lineReader(tools)
    return read(line)
  })
}

/** For a text that is still being written: the caller passes its lines one after the other. */
export function lineReader(tools: ReadonlySet<string>): (line: string) => LineReading {
  let fences = NO_FENCE
  return line => {
    const inside = isFenced(fences)
    fences = fencesAfter(fences, line)
    const reading = readLine(line, tools)
    return inside ? insideFence(line, reading) : reading
  }
}

/** Code may mention tool_call. Only a line that was meant as a call is reported. */
const insideFence = (line: string, reading: LineReading): LineReading =>
  isWrapper(reading) || line.includes('"tool_call"') ? { kind: 'refused', code: 'fenced' } : TEXT

function refusalOf(reading: LineReading, used: ReadonlySet<string>): Omit<ToolCallDiagnostic, 'line'> | null {
  if (reading.kind === 'refused') return { code: reading.code, ...(reading.meant === undefined ? {} : { meant: reading.meant }) }
  if (reading.kind !== 'tool' || reading.id === null || !used.has(reading.id)) return null
  return { code: 'duplicate-id', meant: { id: null, name: reading.name } }
}

export function unusedId(wanted: string, ids: ReadonlySet<string>, used: ReadonlySet<string>): string {
  let id = wanted
  for (let next = 2; ids.has(id) || used.has(id); next++) id = `${wanted}-${next}`
  return id
}

/**
 * The number, from 1, of the line of a command's output that is a tool call; null without one. A command that prints one
 * has failed.
 */
export function toolCallInOutput(output: string): number | null {
  const index = output.split('\n').findIndex(line => isWrapper(readLine(line, BUILT_IN)))
  return index < 0 ? null : index + 1
}
