// Formats times for people, relative to now. JSON always has the absolute time.

const STEPS = [
  ['s', 60],
  ['min', 60],
  ['h', 24],
  ['d', 30],
] as const

/** `just now`, `5 min ago`, `3 d ago`; after a month, the date. */
export function timeAgo(iso: string, now: number = Date.now()): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return iso
  let amount = Math.floor((now - at) / 1_000)
  if (amount < 5) return 'just now'
  for (const [unit, most] of STEPS) {
    if (amount < most) return `${amount} ${unit} ago`
    amount = Math.floor(amount / most)
  }
  return iso.slice(0, 10)
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The instant of `2 h`, `3d` or a date, as ISO 8601; null for other texts. */
export function instantOf(text: string, now: number = Date.now()): string | null {
  const span = /^(\d{1,6})\s*(s|min|m|h|d|w)$/.exec(text.trim())
  const at = span === null ? Date.parse(text) : now - Number(span[1]) * UNITS[span[2]!]!
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
