// Prints a streaming reply line by line, wrapped to a readable width. Several nodes may reply at once, so only whole lines are printed.
import { lineReader } from '../../core/tools/read-tool-calls.ts'

const WIDTH = 96

export interface ReplyLines {
  /** The lines that can be shown so far. */
  feed(text: string): readonly string[]
  /** All remaining lines, from the complete reply. */
  end(whole: string): readonly string[]
}

/** @param calls names of the tools that are called by line: such lines are shown as calls, elsewhere */
export function replyLines(calls: ReadonlySet<string> | null = null): ReplyLines {
  let heard = ''
  let open = ''
  let unread = ''
  const isSpoken = calls === null ? null : spokenLine(calls)
  /** Whole lines only: a partial line may still become a call. */
  const spoken = (text: string): string => {
    if (isSpoken === null) return text
    const lines = (unread + text).split('\n')
    unread = lines.pop()!
    return lines.flatMap(line => (isSpoken(line) ? [`${line}\n`] : [])).join('')
  }
  const take = (isWhole: boolean): readonly string[] => {
    const lines: string[] = []
    for (;;) {
      const length = lineIn(open, isWhole)
      if (length === null) return lines
      lines.push(open.slice(0, length).trimEnd())
      open = open.slice(length).replace(/^(?:\r?\n| )/, '')
    }
  }
  return {
    feed(text) {
      const piece = spoken(text)
      heard += piece
      open += piece
      return take(false)
    },
    end(all) {
      const whole = calls === null ? all : all.split('\n').filter(spokenLine(calls)).join('\n')
      // Pieces may have been lost: the record has the whole reply.
      open = whole.startsWith(heard) ? open + whole.slice(heard.length) : whole
      return take(true)
    },
  }
}

function spokenLine(calls: ReadonlySet<string>): (line: string) => boolean {
  const read = lineReader(calls)
  return line => read(line).kind !== 'tool'
}

/** The length of the first line of a text; null while it is unknown. */
function lineIn(text: string, isWhole: boolean): number | null {
  const end = text.search(/\r?\n/)
  if (end >= 0 && end <= WIDTH) return end
  if (text.length <= WIDTH) return isWhole && text !== '' ? text.length : null
  const blank = text.lastIndexOf(' ', WIDTH)
  if (blank > 0) return blank
  return /[\ud800-\udbff]/.test(text[WIDTH - 1]!) ? WIDTH - 1 : WIDTH
}
