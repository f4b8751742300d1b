// Reads a command that prints plain text: its whole output is the answer.
import type { Reader, ReaderOptions } from './reader.ts'

export function textReader({ show }: ReaderOptions): Reader {
  let text = ''
  return {
    finished: null,
    push(piece) {
      text += piece
      show({ kind: 'text', text: piece })
    },
    end: () => ({
      texts: [text.replace(/\r?\n$/, '')],
      reasoning: [],
      usage: null,
      stop: null,
      conversation: null,
      failure: null,
      malformed: 0,
    }),
  }
}
