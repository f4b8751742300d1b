// Keeps the beginning and the end of a text that arrives in pieces, and counts the part between them.

export interface BothEnds {
  push(piece: string): void
  end(): { readonly text: string; readonly cut: number }
}

export function bothEnds(most: number): BothEnds {
  const half = Math.ceil(most / 2)
  let head = ''
  let tail = ''
  let cut = 0
  const trim = (): void => {
    cut += Math.max(0, tail.length - half)
    tail = tail.slice(-half)
  }
  return {
    push(piece) {
      const room = half - head.length
      head += piece.slice(0, room)
      tail += piece.slice(room)
      // Not at every piece: each time all of it is copied.
      if (tail.length > 4 * half) trim()
    },
    end() {
      trim()
      if (cut === 0) return { text: head + tail, cut }
      // A character that was cut in two has no bytes.
      const [start, rest] = [head.replace(/[\ud800-\udbff]$/, ''), tail.replace(/^[\udc00-\udfff]/, '')]
      return { text: `${start}\n[${cut} characters are left out here]\n${rest}`, cut }
    },
  }
}
