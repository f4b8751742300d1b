// Rows of text, one under the other. Numbers stand to the right.
import { textWidth } from './cells.ts'
import { visible } from './visible.ts'

const NUMBER = /^\d+$/

export function columns(rows: readonly (readonly string[])[]): string {
  const shown = rows.map(row => row.map(visible))
  const widths = (shown[0] ?? []).map((_, index) => Math.max(...shown.map(row => textWidth(row[index] ?? ''))))
  const pad = (text: string, index: number): string => {
    const blanks = ' '.repeat(widths[index]! - textWidth(text))
    return shown.slice(1).every(row => NUMBER.test(row[index] ?? '')) ? `${blanks}${text}` : `${text}${blanks}`
  }
  return shown.map(row => `${row.map(pad).join('  ').trimEnd()}\n`).join('')
}
