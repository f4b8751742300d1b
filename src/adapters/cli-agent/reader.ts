// Reads a command's output in any protocol: the answer, piece by piece and whole. Starts nothing, and keeps every text that explains a failure.

import type { Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import type { Usage } from '../../core/messages/receipt.ts'
import type { Delta } from '../../ports.ts'

export interface Said {
  /** Every text message of the turn, in order. */
  readonly texts: readonly string[]
  readonly reasoning: readonly string[]
  readonly usage: Usage | null
  /** In its own words. */
  readonly stop: string | null
  readonly conversation: string | null
  /** Its own error text. */
  readonly failure: string | null
  /** Lines that are no JSON. */
  readonly malformed: number
}

export interface Reader {
  /** Whether it has said that it is done; null when the protocol has no word for that. */
  readonly finished: boolean | null
  push(piece: string): void
  end(): Said
}

export interface ReaderOptions {
  readonly show: (delta: Delta) => void
  /** A line that belongs to no protocol: often why it failed. */
  readonly stray: (line: string) => void
  /** The conversation that it was asked to resume. */
  readonly resumed: string | null
}

/** One JSON object a line, however the lines are cut up. */
export function jsonLines(take: (event: JsonObject) => void, stray: (line: string) => void) {
  let rest = ''
  let malformed = 0
  const line = (text: string): void => {
    if (text.trim() === '') return
    const value = parse(text)
    if (value === undefined) {
      malformed += 1
      stray(`${text}\n`)
    } else if (isObject(value)) take(value)
  }
  return {
    push(piece: string): void {
      const lines = piece.split('\n')
      if (lines.length === 1) rest += piece
      else {
        line(rest + lines[0]!)
        for (const whole of lines.slice(1, -1)) line(whole)
        rest = lines.at(-1)!
      }
    },
    end(): number {
      line(rest)
      rest = ''
      return malformed
    },
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
export const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
export const objectsIn = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** For counts in which cached tokens are part of the prompt. Null unless both counts are present. */
export function usageOf(prompt: Json | undefined, completion: Json | undefined, cached: Json | undefined): Usage | null {
  if (!isCount(prompt) || !isCount(completion)) return null
  return { prompt, completion, total: prompt + completion, ...(isCount(cached) ? { cached } : {}) }
}

export const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && (value as number) >= 0
