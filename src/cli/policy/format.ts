// Formats a policy as sentences.
import type { Asking } from '../../core/gate/grants.ts'

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

export function timeText(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms >= unit && ms % unit === 0) ?? [1, 'millisecond']
  const count = ms / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** `ask cli:ana or key:*, within 1 hour`. */
export const askingText = ({ by, expireAfterMs }: Asking): string =>
  `ask ${by === null ? 'anybody who may answer' : by.join(' or ')}${expireAfterMs === null ? '' : `, within ${timeText(expireAfterMs)}`}`
