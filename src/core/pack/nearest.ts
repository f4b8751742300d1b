// Guesses which name a mistyped one means.

/** A guess seldom helps with a longer name, and comparisons are expensive. */
const LONGEST = 60
/** The maximum number of compared candidates of about the right length. */
const MOST = 200

/** Null when none is close: a wrong guess is worse than none. */
export function nearest(name: string, names: Iterable<string>): string | null {
  if (name.length > LONGEST) return null
  const lowerCase = name.toLowerCase()
  let best: string | null = null
  // Each that is found has to be beaten by the next.
  let limit = Math.max(1, Math.floor(name.length / 4))
  let tried = 0
  for (const candidate of names) {
    if (tried === MOST || limit < 0) break
    if (Math.abs(candidate.length - name.length) > limit) continue
    tried++
    const distance = distanceWithin(limit, lowerCase, candidate.toLowerCase())
    if (distance === null) continue
    best = candidate
    limit = distance - 1
  }
  return best
}

/** Damerau–Levenshtein with adjacent swaps: `hwo` is one step from `who`. Null beyond the limit; looks no further from the diagonal than that. */
function distanceWithin(limit: number, a: string, b: string): number | null {
  let [older, previous]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= a.length; row++) {
    const current: number[] = new Array(b.length + 1).fill(limit + 1)
    current[0] = row
    for (let column = Math.max(1, row - limit); column <= Math.min(b.length, row + limit); column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
        swapped ? older[column - 2]! + 1 : limit + 1,
      )
    }
    if (Math.min(...current) > limit) return null
    ;[older, previous] = [previous, current]
  }
  const distance = previous[b.length]!
  return distance <= limit ? distance : null
}
