// Matches a list of items against a pattern with stars. Knows nothing of paths.

/** Backtracks to the last star only, which is enough: the time is a product, never exponential. */
export function fitsStars<P, T>(pattern: readonly P[], items: readonly T[], star: P, admits: (part: P, item: T) => boolean): boolean {
  let [part, item, lastStar, resume] = [0, 0, -1, 0]
  while (item < items.length) {
    if (part < pattern.length && pattern[part] === star) {
      lastStar = part++
      resume = item
    } else if (part < pattern.length && admits(pattern[part]!, items[item]!)) {
      part++
      item++
    } else if (lastStar !== -1) {
      part = lastStar + 1
      item = ++resume
    } else return false
  }
  return pattern.slice(part).every(rest => rest === star)
}
