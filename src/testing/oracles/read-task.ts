// The task block read back by its framing alone (spec/prompt). Throws at a line that the framing does not know; judges no value.
import type { Json } from '../../core/digest/digest.ts'

export interface TaskSection {
  readonly heading: string
  /** Rows as values, frames as texts. */
  readonly items: readonly Json[]
}

/** Every character that a reader may treat as the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const LINE = /(.*?)(\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]|$)/gsy

export function readTask(text: string): readonly TaskSection[] {
  const sections: { heading: string; items: Json[] }[] = []
  let frame: string | null = null
  const close = (): void => {
    // The break after the last line of a frame is not the frame's.
    if (frame !== null) sections.at(-1)!.items.push(frame.replace(/\n$/, ''))
    frame = null
  }
  for (const [, line = '', end = ''] of text.matchAll(LINE)) {
    if (line.startsWith('| ')) {
      frame = `${frame ?? ''}${line.slice(2)}${end}`
      continue
    }
    close()
    if (/^##? [A-Z][a-z ]+$/.test(line)) sections.push({ heading: line, items: [] })
    else if (line.startsWith('- {')) sections.at(-1)!.items.push(JSON.parse(line.slice(2)))
    else if (line !== '' && line !== '- none') throw new Error(`a line of its own: ${JSON.stringify(line)}`)
  }
  close()
  return sections
}
