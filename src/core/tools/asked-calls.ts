// The calls of a reply, for every provider: native calls first, then lines of its text. Runtime and display both use it. Runs nothing.
import type { Json } from '../digest/digest.ts'
import type { Part } from '../messages/message.ts'
import { readToolCalls, type ToolCallDiagnostic, unusedId } from './read-tool-calls.ts'
import { type DiagnosticCode, diagnosticText } from './tool-call-diagnostics.ts'

/** How a provider makes calls: natively; all as lines of its text; or with tools of its own, and only the host's tools as lines. */
export type Calling = 'native' | LineCalling
export type LineCalling = 'lines' | 'own'

export interface AskedCall {
  /** The id under which the model gets the result. Unique in a reply. */
  readonly callId: string
  readonly toolName: string
  readonly arguments: Json
  /** For a line that was meant as a call but is malformed: the call is refused, and the model gets this reason. */
  readonly problem: LineProblem | null
  /** Notes that the model gets together with the result. */
  readonly notes: readonly string[]
}

export interface LineProblem {
  readonly code: DiagnosticCode
  /** From 1. */
  readonly line: number
}

export interface Asked {
  readonly calls: readonly AskedCall[]
  /** The text beside the calls. */
  readonly text: string
  /** The last message of the reply, when it has several: the output of a node when its work is done. */
  readonly last: string
  /** Lines that mention calls and may not be meant as calls. The model gets them beside the results of calls, never alone. */
  readonly asides: readonly string[]
}

/** Bounds the feedback, so that a reply full of mistakes does not bury the rest of the prompt. */
const MOST_TOLD = 20

/** @param lines names of the tools that are called by line; null when none is */
export function askedIn(content: readonly Part[], lines: ReadonlySet<string> | null): Asked {
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  const text = texts.join('')
  const native = content.flatMap((part): readonly AskedCall[] => {
    if (part.type !== 'tool_call') return []
    return [{ callId: part.callId, toolName: part.toolName, arguments: part.arguments, problem: null, notes: [] }]
  })
  if (lines === null) return { calls: native, text, last: texts.at(-1) ?? '', asides: [] }
  const read = readToolCalls(text, { tools: lines, taken: new Set(native.map(({ callId }) => callId)), starts: startsOf(texts) })
  const meant = read.diagnostics.filter(({ code }) => kindOf(code) === 'meant')
  const feedback = [...meant, ...read.diagnostics.filter(({ code }) => kindOf(code) !== 'meant')].slice(0, MOST_TOLD)
  const used = new Set([...native.map(({ callId }) => callId), ...read.calls.map(({ id }) => id)])
  const notesOn = (line: number): readonly string[] =>
    feedback.filter(one => one.line === line && kindOf(one.code) === 'note').map(problemText)
  const made = read.calls.map(({ id, name, args, line }) => ({ line, ...sound(id, name, args), notes: notesOn(line) }))
  const refused = feedback.filter(({ code }) => kindOf(code) === 'meant').map(one => ({ line: one.line, ...refusedCall(one, used) }))
  const inOrder = [...made, ...refused].sort((a, b) => a.line - b.line).map(({ line: _, ...call }) => call)
  const asides = feedback.filter(({ code }) => kindOf(code) === 'aside').map(problemText)
  const untold = read.diagnostics.length - feedback.length
  const rest = untold === 0 ? asides : [...asides, `And ${untold} more remarks like these.`]
  return {
    calls: withLast([...native, ...inOrder], rest),
    text: read.message,
    last: read.calls.length === 0 ? (texts.at(-1) ?? '') : read.message,
    asides: rest,
  }
}

/** The lines, from 1, on which a text part begins. */
function startsOf(texts: readonly string[]): ReadonlySet<number> {
  const starts = new Set<number>()
  let line = 1
  let isLineStart = true
  for (const text of texts) {
    if (isLineStart) starts.add(line)
    line += text.split('\n').length - 1
    if (text !== '') isLineStart = text.endsWith('\n')
  }
  return starts
}

/** The text for the model. */
export const problemText = ({ code, line }: LineProblem): string => `Line ${line}, ${code}: ${diagnosticText(code)}`

function kindOf(code: DiagnosticCode): 'note' | 'aside' | 'meant' {
  if (code === 'ignored-params' || code === 'extra-key') return 'note'
  return code === 'fenced' || code === 'near-miss' ? 'aside' : 'meant'
}

const sound = (callId: string, toolName: string, input: Json) => ({ callId, toolName, arguments: input, problem: null })

/** Ignores its arguments: a refused call does not use them. */
function refusedCall({ code, line, meant }: ToolCallDiagnostic, used: Set<string>): AskedCall {
  const id = meant?.id ?? null
  const callId = id !== null && !used.has(id) ? id : unusedId(`line-${line}`, used, used)
  used.add(callId)
  return { callId, toolName: meant?.name ?? '?', arguments: {}, problem: { code, line }, notes: [] }
}

function withLast(calls: readonly AskedCall[], notes: readonly string[]): readonly AskedCall[] {
  const last = calls.at(-1)
  return last === undefined || notes.length === 0 ? calls : [...calls.slice(0, -1), { ...last, notes: [...last.notes, ...notes] }]
}
