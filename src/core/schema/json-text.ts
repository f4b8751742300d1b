// Parses JSON text and locates the error. JavaScript's own parser does not always report a position, and its messages change.
import type { Json } from '../digest/digest.ts'

export type JsonText =
  | { readonly ok: true; readonly value: Json }
  /** `offset`: the first unexpected character. */
  | { readonly ok: false; readonly offset: number; readonly message: string }

export function readJson(text: string): JsonText {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    const offset = breakingPoint(text)
    const message =
      offset === text.length ? 'it ends too early' : `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(offset)!))}`
    return { ok: false, offset, message }
  }
}

/** Every beginning of the text is whole up to some length and broken from there on, so the length can be found by halving. */
function breakingPoint(text: string): number {
  let whole = 0
  let broken = text.length + 1
  while (broken - whole > 1) {
    const middle = (whole + broken) >> 1
    if (couldGoOn(text.slice(0, middle))) whole = middle
    else broken = middle
  }
  return whole
}

function couldGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning)
    return true
  } catch (error) {
    const { message } = error as Error
    const position = /position (\d+)/.exec(message)?.[1]
    return /end of JSON|Unterminated string/.test(message) || (position !== undefined && Number(position) >= beginning.length)
  }
}
