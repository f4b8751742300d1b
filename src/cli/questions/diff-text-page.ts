// Two texts for a person: lines with a sign before them, and the words that changed where there is colour. Pure.
import type { TextChange, TextPlace } from '../../core/diff/difference.ts'
import type { TextHunk } from '../../core/diff/text-hunks.ts'
import { cutLines, type Piece, wholeLine, wordPieces } from '../../core/diff/word-pieces.ts'
import { groupBy } from '../report/groups.ts'
import { visible } from '../report/visible.ts'
import type { Colors } from './diff-page.ts'

const WIDTH = 96
/** Of one text; a prompt that was written anew must not bury the others. */
const MOST_LINES = 200

const WHY: Readonly<Record<NonNullable<TextChange['why']>, string>> = {
  too_different: 'too different to be shown line by line',
  too_long: 'too long to be shown line by line',
  erased: 'it cannot be read any more, and is not compared',
  no_text: 'it is not text',
}

/** What changes in the same way at several places is shown once. */
export const textGroups = (texts: readonly TextChange[]): readonly (readonly TextChange[])[] => [
  ...groupBy(texts, ({ block, path, a, b, hunks }) =>
    JSON.stringify(
      hunks === null ? [a, b, path] : [block, path, hunks.flatMap(({ lines }) => lines.filter(line => !line.startsWith(' ')))],
    ),
  ).values(),
]

export function textLines(group: readonly TextChange[], color: Colors): readonly string[] {
  const [change] = group
  const { hunks, why } = change!
  const places = group.flatMap(({ nodeId, visit, step, again = [] }) =>
    nodeId === undefined || visit === undefined || step === undefined ? [] : [{ nodeId, visit, step }, ...again],
  )
  const head = color.bold(visible(`── ${nameOf(change!)}`))
  const also = places.length < 2 ? [] : [color.dim(visible(`   the same in ${alsoText(places.slice(1))}`))]
  if (hunks === null) return [head, ...also, color.dim(WHY[why ?? 'too_different'])]
  const all = hunks.flatMap(hunk => hunkLines(hunk, color))
  const more = all.length > MOST_LINES ? [color.dim(`and ${all.length - MOST_LINES} more lines`)] : []
  return [head, ...also, ...all.slice(0, MOST_LINES), ...more]
}

function nameOf({ nodeId, visit = 1, step, block, path }: TextChange): string {
  if (path !== undefined) return path
  const what = block === 'reply' ? 'the reply' : block === 'text' ? 'the text' : `block ${block}`
  return nodeId === undefined || step === undefined ? what : `${placeText({ nodeId, visit, step })}, ${what}`
}

const placeText = ({ nodeId, visit, step }: TextPlace): string => `${nodeId}${visit === 1 ? '' : `, visit ${visit}`}, step ${step}`

const MOST_PLACES = 4

function alsoText(places: readonly TextPlace[]): string {
  const named = places.slice(0, MOST_PLACES).map(placeText).join('; ')
  return places.length <= MOST_PLACES ? named : `${named}; and ${places.length - MOST_PLACES} more`
}

function hunkLines({ aStart, aLines, bStart, bLines, lines }: TextHunk, color: Colors): readonly string[] {
  const shown: string[] = [color.cyan(`@@ A ${spanText(aStart, aLines)}, B ${spanText(bStart, bLines)}`)]
  for (let at = 0; at < lines.length; ) {
    const removed = signed(lines, at, '-')
    const added = signed(lines, at + removed.length, '+')
    if (removed.length + added.length === 0) {
      shown.push(painted([wholeLine(lines[at]!.slice(1), WIDTH)], ' ', color))
      at += 1
      continue
    }
    at += removed.length + added.length
    shown.push(...changed(removed, added, color))
  }
  return shown
}

const spanText = (start: number, count: number): string =>
  count === 0 ? 'nothing' : count === 1 ? `line ${start}` : `lines ${start} to ${start + count - 1}`

function signed(lines: readonly string[], from: number, sign: string): readonly string[] {
  let end = from
  while (lines[end]?.startsWith(sign)) end += 1
  return lines.slice(from, end).map(line => line.slice(1))
}

/** As many of one as of the other: each stands for one. Otherwise only what is long is held against the other, so that it is cut where they differ. */
function changed(removed: readonly string[], added: readonly string[], color: Colors): readonly string[] {
  const pairOf = removed.length === added.length ? (a: string, b: string) => wordPieces(a, b, WIDTH) : longPair
  const pairs = removed.slice(0, added.length).map((line, index) => pairOf(line, added[index]!))
  return [
    ...removed.map((line, index) => painted(pairs[index]?.[0] ?? alone(line), '-', color)),
    ...added.map((line, index) => painted(pairs[index]?.[1] ?? alone(line), '+', color)),
  ]
}

const longPair = (a: string, b: string): readonly [readonly Piece[], readonly Piece[]] =>
  Math.min(a.length, b.length) > 2 * WIDTH ? cutLines(a, b, 2 * WIDTH) : [alone(a), alone(b)]

const alone = (text: string): readonly Piece[] => [wholeLine(text, 2 * WIDTH)]

function painted(pieces: readonly Piece[], sign: '-' | '+' | ' ', color: Colors): string {
  const paint = sign === '-' ? color.red : sign === '+' ? color.green : color.dim
  const inner = pieces.map(({ text, changed }) => {
    const safe = visible(text.replaceAll('\t', '  '))
    return changed ? color.inverse(safe) : safe
  })
  return paint(`${sign} ${inner.join('')}`.trimEnd())
}
