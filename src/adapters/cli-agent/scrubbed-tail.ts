// Keeps the end of a command's output, without secrets: enough to say why it failed.
import type { Scrubber } from '../scrub/scrub.ts'

const MOST = 2_000

export const lastOf = (text: string): string => text.slice(-MOST)

export interface ScrubbedTail {
  push(piece: string): void
  end(): string
}

/** Scrubs before it truncates: half a secret would not be recognized. */
export function scrubbedTail(scrub: Scrubber): ScrubbedTail {
  const stream = scrub.stream()
  let tail = ''
  const keep = (text: string): void => {
    tail = lastOf(tail + text)
  }
  return {
    push: piece => keep(stream.push(piece)),
    end() {
      keep(stream.end())
      return tail
    },
  }
}
