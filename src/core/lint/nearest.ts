// The name that was probably meant.

/** Comparing takes the square of this. */
const LONGEST = 200

/** Null when none is close: a wrong guess is worse than none. */
export function nearest(name: string, known: readonly string[]): string | null {
  if (name.length > LONGEST) return null
  const limit = Math.max(1, Math.floor(name.length / 4))
  let best: { name: string; distance: number } | null = null
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue
    const distance = distanceBetween(name.toLowerCase(), candidate.toLowerCase())
    if (distance <= limit && (best === null || distance < best.distance)) best = { name: candidate, distance }
  }
  return best?.name ?? null
}

/** Damerau–Levenshtein with adjacent swaps: `hwo` is one step from `who`. */
function distanceBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(rows[row - 1]![column]! + 1, current[column - 1]! + 1, rows[row - 1]![column - 1]! + (same ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, rows[row - 2]![column - 2]! + 1)
      current.push(cost)
    }
    rows.push(current)
  }
  return rows[a.length]![b.length]!
}
