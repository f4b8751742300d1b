// Formats a command for a shell: words quoted where needed, and a long command on several lines.

const PLAIN = /^[\w@%+=:,./-]+$/
const WIDEST = 74

export const quoted = (word: string): string => {
  if (PLAIN.test(word)) return word
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`
}

export const commandText = (words: readonly string[]): string => wrapped(unitsOf(words.map(quoted)), WIDEST, ' \\\n    ')

/** Keeps an option together with its value. */
function unitsOf(words: readonly string[]): readonly string[] {
  const units: string[] = []
  for (const word of words) {
    const last = units.at(-1)
    if (last !== undefined && /^--\S+$/.test(last) && !word.startsWith('--')) units[units.length - 1] = `${last} ${word}`
    else units.push(word)
  }
  return units
}

/** As many units on a line as fit. */
export function wrapped(units: readonly string[], width: number, lineBreak: string): string {
  const lines: string[] = []
  for (const unit of units) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + unit.length <= width) lines[lines.length - 1] = `${line} ${unit}`
    else lines.push(unit)
  }
  return lines.join(lineBreak)
}
