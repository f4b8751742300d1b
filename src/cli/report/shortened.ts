// Shortens a text to a number of columns. Keeps its beginning and its end, because both parts of a path are informative. Pure.
import { cellsOf, textWidth } from './cells.ts'

/** @param text in its displayed form */
export function shortened(text: string, most: number): string {
  if (textWidth(text) <= most) return text
  const cells = cellsOf(text)
  let [from, to, left] = [0, cells.length, Math.max(0, most - 1)]
  for (let isHead = true; from < to; isHead = !isHead) {
    const { width } = cells[isHead ? from : to - 1]!
    if (width > left) break
    left -= width
    if (isHead) from++
    else to--
  }
  const shown = (some: typeof cells): string => some.map(cell => cell.text).join('')
  return `${shown(cells.slice(0, from))}…${shown(cells.slice(to))}`
}
