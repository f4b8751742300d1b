// Aligns rows of text in columns. Numbers are right-aligned.
import { textWidth } from './cells.ts'
import { visible } from './visible.ts'

const NUMBER = /^\d+$/

interface Column {
  width: number
  /** Whether all cells below the first are numbers. */
  isNumber: boolean
}

export function columns(rows: readonly (readonly string[])[]): string {
  const shown = rows.map(row => row.map(visible))
  const found = (shown[0] ?? []).map((): Column => ({ width: 0, isNumber: true }))
  for (const [number, row] of shown.entries())
    for (const [index, column] of found.entries()) {
      const text = row[index] ?? ''
      column.width = Math.max(column.width, textWidth(text))
      column.isNumber &&= number === 0 || NUMBER.test(text)
    }
  const pad = (text: string, index: number): string => {
    const { width, isNumber } = found[index] ?? { width: 0, isNumber: false }
    const blanks = ' '.repeat(Math.max(0, width - textWidth(text)))
    return isNumber ? `${blanks}${text}` : `${text}${blanks}`
  }
  return shown.map(row => `${row.map(pad).join('  ').trimEnd()}\n`).join('')
}
