// How far a long job is: a bar on a terminal, nothing elsewhere. Writes to standard error, so that reports stay clean.

const WIDTH = 24

export interface Progress {
  readonly tick: (done: number, total: number, failed: number) => void
  readonly clear: () => void
}

export function progressBar(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { tick: () => undefined, clear: () => undefined }
  let drawn = 0
  return {
    tick(done, total, failed) {
      // A terminal is slow: ten times a second is plenty, and the last one always counts.
      if (done < total && Date.now() - drawn < 100) return
      drawn = Date.now()
      const filled = Math.round((done / total) * WIDTH)
      stream.write(`\r\u001b[K${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total}${failed > 0 ? `, ${failed} failed` : ''}`)
    },
    clear: () => void stream.write('\r\u001b[K'),
  }
}
