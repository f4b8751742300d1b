// Whose words stand in a prompt, as a list with a letter each: by file, by variable, by the task. Pure.
import type { BlameSpan } from '../../core/blame/span.ts'
import type { WordSource } from '../../core/blame/word-source.ts'
import type { BlameAnswer } from '../../engine/blame/blame.ts'

export type Tone = 'unplaced' | 'text' | 'value' | 'untrusted' | 'secret'

/** All words of one block that have the same origin. */
export interface Voice {
  readonly key: string
  /** `!`: not to be trusted. `*`: the place of a secret. */
  readonly mark: '' | '!' | '*'
  readonly tone: Tone
  readonly block: string
  readonly what: string
  readonly where: string
  readonly bytes: number
}

export interface Legend {
  readonly voices: readonly Voice[]
  /** Null for what only joins. */
  of(span: BlameSpan): Voice | null
}

/** In the order in which they first speak. */
export function legendOf({ spans, prelude, origins }: BlameAnswer): Legend {
  const voices = new Map<string, Voice>()
  const idOf = (span: BlameSpan): string => {
    const { block, part, template, source, trust, secret, file } = span
    return JSON.stringify([block, part, template, variableOf(span), source, trust, secret, file])
  }
  const hear = (span: BlameSpan, reason: string | null): void => {
    if (isJoiner(span)) return
    const known = voices.get(idOf(span))
    const bytes = (known?.bytes ?? 0) + span.end - span.start
    voices.set(idOf(span), known === undefined ? { key: keyFor(voices.size), ...voiceOf(span, reason), bytes } : { ...known, bytes })
  }
  const reasons = new Map(origins.map(({ ref, reason }) => [ref, reason]))
  for (const span of spans) hear(span, reasons.get(span.template ?? '') ?? null)
  for (const message of prelude) for (const span of message.spans) hear(span, message.reason)
  return { voices: [...voices.values()], of: span => voices.get(idOf(span)) ?? null }
}

const isJoiner = ({ block, part, text }: BlameSpan): boolean => part === null && (block !== null || text.trim() === '')

/** A to Z, then AA. */
const keyFor = (index: number): string =>
  index < 26 ? String.fromCharCode(65 + index) : `${keyFor(Math.floor(index / 26) - 1)}${keyFor(index % 26)}`

function voiceOf(span: BlameSpan, reason: string | null): Omit<Voice, 'key' | 'bytes'> {
  const { block, trust, secret, source, layer, file, line, variable } = span
  const isValue = variable !== null || source !== null
  const untrusted = trust === 'untrusted'
  const place = file === null ? (reason ?? 'it ships with Onbook') : `${file}:${line}`
  const words = isValue ? [source === null ? 'its loop' : sourceText(source), file === null ? '' : `at ${place}`] : [place]
  return {
    mark: untrusted ? '!' : secret === null ? '' : '*',
    tone: untrusted ? 'untrusted' : secret !== null ? 'secret' : isValue ? 'value' : file === null ? 'unplaced' : 'text',
    block: block ?? 'prelude',
    what: whatText(span),
    where: [untrusted ? 'UNTRUSTED' : '', ...words, isValue || layer === null ? '' : `by ${layer}`].filter(word => word !== '').join(', '),
  }
}

/** Of a variable, its name; of the task, the field. */
const variableOf = ({ part, variable }: BlameSpan): string | null =>
  part === 'task' && variable?.startsWith('inputs.') ? variable : /^[^.[]*/.exec(variable ?? '')![0] || null

const FIELDS: Readonly<Record<string, string>> = { task: 'ids of run and node', definitionOfDone: 'definition of done' }

function whatText(span: BlameSpan): string {
  const { block, part, template, file, secret } = span
  const variable = variableOf(span)
  if (block === null) return secret === null ? (variable === null ? (file ?? 'message') : `{{${variable}}}`) : `secret ${secret}`
  if (part === 'task') return variable === null ? 'headings' : (FIELDS[variable] ?? variable)
  if (template === null) return part === 'role' ? 'its own prompt' : 'override'
  return variable === null ? template.replace(/^prompt:/, '') : `{{${variable}}}`
}

/** In a few words. */
export function sourceText({ from, name }: WordSource): string {
  switch (from) {
    case 'input':
      return `input ${name} of the run`
    case 'workflow':
      return `workflow ${name}`
    case 'node':
      return `node ${name}`
    case 'output':
      return `output of node ${name}`
    case 'handoff':
      return `handed over by node ${name}`
    case 'context':
      return 'what the run knows of itself'
    case 'secret':
      return `secret ${name}, never recorded`
    case 'override':
      return 'set beside the ref'
    case 'default':
      return 'default of the template'
    case 'prelude':
      return 'set by the prelude'
    case 'tool':
      return 'tools shown in this step'
    case 'agent':
      return `written by node ${name}`
    case 'person':
      return `given by ${name}`
    case 'repository':
      return 'the repo'
    case 'settings':
      return name === null ? 'default' : `set by ${name}, else default`
    case 'run':
      return 'the run'
  }
}
