// A reply while it is being said: whole lines, as wide as a person reads. Several nodes may speak at once, so nothing is shown by halves.

const WIDTH = 96

export interface ReplyLines {
  /** What can be shown of it so far. */
  feed(text: string): readonly string[]
  /** Everything that was not shown, now that all of it is known. */
  end(whole: string): readonly string[]
}

export function replyLines(): ReplyLines {
  let heard = ''
  let open = ''
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
      heard += text
      open += text
      return take(false)
    },
    end(whole) {
      // Pieces may have been missed: the record has the whole.
      open = whole.startsWith(heard) ? open + whole.slice(heard.length) : whole
      return take(true)
    },
  }
}

/** How much of a text is its first line; null while that cannot be told. */
function lineIn(text: string, isWhole: boolean): number | null {
  const end = text.search(/\r?\n/)
  if (end >= 0 && end <= WIDTH) return end
  if (text.length <= WIDTH) return isWhole && text !== '' ? text.length : null
  const blank = text.lastIndexOf(' ', WIDTH)
  if (blank > 0) return blank
  return /[\ud800-\udbff]/.test(text[WIDTH - 1]!) ? WIDTH - 1 : WIDTH
}
