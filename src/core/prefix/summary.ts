// Summarizes how much of each prompt a node's next step repeated, and what broke the prefix most. Hints follow only from that.
import type { Block } from '../compose/parts.ts'
import type { Usage } from '../messages/receipt.ts'
import type { Layer } from '../resolve/layers.ts'
import type { BrokenSpan, SentPart } from './prefix.ts'

/** The first thing that was sent otherwise. */
export interface Breaker {
  readonly part: SentPart
  /** Which message or tool it was, from 0, in the order in which they are counted. */
  readonly index: number
  /** The name of a tool, or of the prelude. */
  readonly name: string | null
  readonly block: Block | null
  readonly template: string | null
  readonly layer: Layer | null
  readonly variable: string | null
  /** The offset of the span in its message, in bytes, and its length. Null when no span is known. */
  readonly at: BrokenSpan['at'] | null
  readonly of: BrokenSpan['of'] | null
}

/** Reported by the provider, or estimated as a quarter of the bytes. */
export interface Tokens {
  readonly tokens: number
  readonly estimated: boolean
}

/**
 * The tokens that were sent before and could have been cached: as the provider counts, if it does.
 * @param bytes so many of the `previous` come after the break
 */
export function lostTokens(bytes: number, previous: number, before: Usage | null, after: Usage | null): Tokens {
  const [sent, cached] = [before?.prompt, after?.cached]
  if (sent === undefined || cached === undefined) return { tokens: Math.round(bytes / 4), estimated: true }
  // A provider that cached nothing may have its own reasons: tokens before the break do not count as lost.
  const most = previous === 0 ? 0 : Math.ceil((sent * bytes) / previous)
  return sent - cached > most ? { tokens: most, estimated: true } : { tokens: Math.max(0, sent - cached), estimated: false }
}

/** A step and the one before it. */
export interface ComparedStep {
  readonly previous: number
  readonly kept: number
  readonly broken: Breaker | null
  readonly lost: Tokens
}

export interface PrefixSummary {
  readonly compared: number
  /** The share of bytes that were sent before: between 0 and 1. Null when nothing was compared. */
  readonly share: number | null
  readonly lost: Tokens
  readonly worst: (Breaker & { readonly times: number; readonly bytes: number }) | null
  readonly hint: string | null
}

export function summaryOf(steps: readonly ComparedStep[]): PrefixSummary {
  const sum = (of: (step: ComparedStep) => number): number => steps.reduce((total, step) => total + of(step), 0)
  const previous = sum(step => step.previous)
  const worst = worstOf(steps)
  return {
    compared: steps.length,
    share: previous === 0 ? null : sum(step => step.kept) / previous,
    lost: { tokens: sum(step => step.lost.tokens), estimated: steps.some(({ lost }) => lost.estimated && lost.tokens > 0) },
    worst,
    hint: worst === null ? null : hintFor(worst),
  }
}

function worstOf(steps: readonly ComparedStep[]): PrefixSummary['worst'] {
  const breakers = new Map<string, NonNullable<PrefixSummary['worst']>>()
  for (const { broken, previous, kept } of steps) {
    if (broken === null) continue
    const { part, name, block, template, variable } = broken
    const key = JSON.stringify([part, name, block, template, variable])
    const existing = breakers.get(key)
    breakers.set(key, { ...(existing ?? broken), times: (existing?.times ?? 0) + 1, bytes: (existing?.bytes ?? 0) + previous - kept })
  }
  return [...breakers.values()].reduce<PrefixSummary['worst']>((most, one) => (most === null || one.bytes > most.bytes ? one : most), null)
}

function hintFor({ part, name, block, template, variable, at, of }: Breaker): string | null {
  if (part === 'tools') return `Tools are counted before all messages: while ${name} comes and goes, nothing after it is kept.`
  if (part === 'prelude') return 'Another version of the workspace took over between two steps; from then on it is kept again.'
  if (part !== 'system') return null
  const where = at === null || of === null ? '' : ` after ${at} of ${of} bytes`
  if (block === 'system')
    return `Tools that are called by line are in the host’s contract${where}: when they change, everything after them is sent again.`
  if (block === 'mode') return 'The mode changed; from then on it is kept again.'
  if (variable !== null)
    return `{{${variable}}} of ${template} is in the system message${where}, and its value changes: everything after it is sent again each time. In a template of kind user it would come after the history.`
  return `The system message has another text${where}: everything after it is sent again.`
}
