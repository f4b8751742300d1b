// The text messages of one turn, in order. A message ends where the agent used a tool or began another message.
import { BETWEEN_MESSAGES } from '../../core/messages/receipt.ts'

export interface Messages {
  /** Adds to the open message. Returns the text to show: with the separator when the text begins another message. */
  add(text: string): string
  /** The next text begins another message. */
  close(): void
  /** Without blank messages. */
  readonly texts: readonly string[]
}

export function messages(): Messages {
  const all: string[] = []
  let isOpen = false
  return {
    add(text) {
      if (text === '') return ''
      const begins = !isOpen
      if (begins) all.push('')
      all[all.length - 1] += text
      isOpen = true
      return begins && all.length > 1 ? BETWEEN_MESSAGES + text : text
    },
    close() {
      isOpen = false
    },
    get texts() {
      return spoken(all)
    },
  }
}

export const spoken = (texts: readonly string[]): readonly string[] => texts.filter(text => text.trim() !== '')

/** Adds the text of a final result, unless it repeats the end of the messages. Blanks do not count in the comparison. */
export function withResult(texts: readonly string[], result: string): readonly string[] {
  const repeats = squeezed(texts.join(' ')).endsWith(squeezed(result))
  return repeats ? texts : [...texts, result]
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim()
