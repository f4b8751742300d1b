// Shows the progress of a long job: a bar on a terminal, a plain line now and then elsewhere. Writes to stderr, so that reports stay clean.

const WIDTH = 24
/** Frequent enough to show life, rare enough to read. */
const BAR_EVERY_MS = 100
const LINE_EVERY_MS = 5_000

export interface Progress {
  readonly tick: (done: number, total: number, failed: number) => void
  readonly clear: () => void
}

export function progressOn(stream: NodeJS.WriteStream = process.stderr): Progress {
  let shown = Date.now()
  const isDue = (every: number) => {
    if (Date.now() - shown < every) return false
    shown = Date.now()
    return true
  }
  const counts = (done: number, total: number, failed: number) => `${done}/${total}${failed > 0 ? `, ${failed} failed` : ''}`
  if (!stream.isTTY) {
    return {
      tick: (done, total, failed) => {
        if (isDue(LINE_EVERY_MS)) stream.write(`${counts(done, total, failed)}\n`)
      },
      clear: () => undefined,
    }
  }
  return {
    tick: (done, total, failed) => {
      if (done < total && !isDue(BAR_EVERY_MS)) return
      const filled = Math.round((done / total) * WIDTH)
      stream.write(`\r\u001b[K${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${counts(done, total, failed)}`)
    },
    clear: () => void stream.write('\r\u001b[K'),
  }
}

export interface Counter {
  readonly tick: (text: string) => void
  readonly clear: () => void
}

/** For work with an unknown end: shows how much is done. */
export function counterOn(stream: NodeJS.WriteStream = process.stderr): Counter {
  let shown = Date.now()
  const tick = (text: string) => {
    if (Date.now() - shown < (stream.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) return
    shown = Date.now()
    stream.write(stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
  }
  return { tick, clear: () => void (stream.isTTY && stream.write('\r\u001b[K')) }
}
