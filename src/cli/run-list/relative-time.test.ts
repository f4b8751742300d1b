// Tests relative times for people, and the instants that people type.
import { expect, it } from 'vitest'
import { instantOf, timeAgo } from './relative-time.ts'

const NOW = Date.parse('2026-03-10T12:00:00.000Z')

it.each([
  ['2026-03-10T11:59:58.000Z', 'just now'],
  ['2026-03-10T11:59:20.000Z', '40 s ago'],
  ['2026-03-10T11:00:01.000Z', '59 min ago'],
  ['2026-03-09T13:00:00.000Z', '23 h ago'],
  ['2026-03-01T12:00:00.000Z', '9 d ago'],
  ['2025-12-24T12:00:00.000Z', '2025-12-24'],
  ['2026-03-11T12:00:00.000Z', 'just now'],
  ['', ''],
])('%s is %s', (iso, text) => expect(timeAgo(iso, NOW)).toBe(text))

it.each([
  ['90s', '2026-03-10T11:58:30.000Z'],
  ['2 h', '2026-03-10T10:00:00.000Z'],
  ['1w', '2026-03-03T12:00:00.000Z'],
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['yesterday', null],
])('--since %s', (text, iso) => expect(instantOf(text, NOW)).toBe(iso))
