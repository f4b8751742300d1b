// What is different, for a person: how much, then every decision in a line with both sides, then the texts. Pure.
import pc from 'picocolors'
import { type Decision, type Differences, type Meaning, MOST_DECISIONS, type TextChange, type What } from '../../core/diff/difference.ts'
import { cutPair } from '../../core/diff/facts.ts'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { textWidth } from '../report/cells.ts'
import { groupBy } from '../report/groups.ts'
import { shortened } from '../report/shortened.ts'
import { visible } from '../report/visible.ts'
import { counted } from '../workspace/format.ts'
import { textGroups, textLines } from './diff-text-page.ts'

export type Colors = ReturnType<typeof pc.createColors>

/** What is compared, as it was named. */
export interface Sides {
  readonly a: string
  readonly b: string
  /** Which of the two is a fork of the other. */
  readonly fork?: 'a' | 'b' | undefined
}

export interface DiffShown {
  readonly useColor: boolean
  readonly decisionsOnly: boolean
}

const WIDTH = 100
/** A longer place does not move what stands beside the others. */
const MOST_ALIGNED = 40

export function diffPage(sides: Sides, found: Differences, { useColor, decisionsOnly }: DiffShown): string {
  const color = pc.createColors(useColor)
  const { decisions, texts, means = [], left, same } = found
  const head = [
    `${color.red('A')}  ${visible(sides.a)}${sides.fork === 'a' ? ', a fork of B' : ''}`,
    `${color.green('B')}  ${visible(sides.b)}${sides.fork === 'b' ? ', a fork of A' : ''}`,
    '',
  ]
  if (same) return lines([...head, color.green('The same: no decision differs, and no text.')])
  return lines([
    ...head,
    color.bold(`${decisions.length === MOST_DECISIONS && left > 0 ? 'At least ' : ''}${countText(decisions)}, and ${textsText(texts)}`),
    ...(means.length === 0 ? [] : ['', ...meansLines(means, color)]),
    ...(decisions.length === 0 ? [] : ['', ...decisionLines(decisions, color)]),
    ...(decisionsOnly ? [] : textGroups(texts).flatMap(group => ['', ...textLines(group, color)])),
    ...(left === 0 ? [] : ['', color.dim(`and ${left} more decisions or texts that are not listed`)]),
  ])
}

const lines = (all: readonly string[]): string => all.map(line => `${line}\n`).join('')

/** `4 decisions differ (1 input, 2 variables …)`: as many as there are rows, in their order, so that the cause comes first. */
function countText(decisions: readonly Decision[]): string {
  const rows = [...rowsOf(decisions).values()].map(group => group[0]!)
  if (rows.length === 0) return 'No decision differs'
  const kinds = [...groupBy(rows, ({ what }) => what)].map(([what, all]) =>
    all.length === 1 ? `1 ${what}` : `${all.length} ${manyOf(what)}`,
  )
  return `${rows.length === 1 ? '1 decision differs' : `${rows.length} decisions differ`} (${kinds.join(', ')})`
}

/** What is the same at several places is told once. */
const rowsOf = (decisions: readonly Decision[]): ReadonlyMap<string, readonly Decision[]> =>
  groupBy(decisions, ({ nodeId: _, visit: __, step: ___, ...rest }) => JSON.stringify(rest))

/** Some words stand for many already. */
const manyOf = (what: string): string => (/^(?:tools|sent|meta)$/.test(what) ? what : `${what.replace(/y$/, 'ie')}s`)

/** As many as there are, and in how many ways they change: those are shown. */
function textsText(texts: readonly TextChange[]): string {
  const ways = textGroups(texts).length
  if (texts.length === 0) return 'no text'
  return `${counted(texts.length, 'text')}${ways === texts.length ? '' : `, in ${counted(ways, 'way')}`}`
}

/** What each of them is called is told once. */
const meansLines = (means: readonly Meaning[], color: Colors): readonly string[] =>
  [...groupBy(means, ({ what, name }) => `${what} ${name}`)].flatMap(([subject, all]) => [
    visible(`From A to B, ${subject}`),
    ...all.map(({ bump, change, because = [] }) => {
      const why = because.length === 0 ? '' : `, because of ${because.join(', ')}`
      return `  ${visible(`${change}${why}`)}${bump === undefined ? '' : color.dim(`  (${bump})`)}`
    }),
  ])

interface Row {
  readonly what: string
  readonly where: string
  readonly a: string
  readonly b: string
}

function decisionLines(decisions: readonly Decision[], color: Colors): readonly string[] {
  const alike = rowsOf(decisions)
  const whats = Math.max(...decisions.map(({ what }) => what.length))
  const indent = ' '.repeat(whats + 2)
  const rows = [...alike.values()].map(group => rowOf(group, WIDTH - indent.length - 5))
  const wheres = Math.max(0, ...rows.map(({ where }) => textWidth(where)).filter(width => width <= MOST_ALIGNED))
  return rows.flatMap(({ what, where, a, b }) => {
    const begin = `${color.bold(what.padEnd(whats))}  ${where}`
    const blanks = ' '.repeat(Math.max(0, wheres - textWidth(where)) + 2)
    if (textWidth(`${indent}${where}${blanks}${a} → ${b}`) <= WIDTH) return [`${begin}${blanks}${color.red(a)} → ${color.green(b)}`]
    return [begin, `${indent}${color.red(`A  ${a}`)}`, `${indent}${color.green(`B  ${b}`)}`]
  })
}

function rowOf(group: readonly Decision[], room: number): Row {
  const { what, kind, layer, template, variable, name, field, call, path, a, b } = group[0]!
  const from = template ?? kind
  const about = [
    path,
    variable,
    from === undefined ? from : `${variable === undefined ? '' : 'of '}${from}${layer === undefined ? '' : ` (${layer})`}`,
    call === undefined ? name : `${name} (call ${call})`,
    field,
  ]
  const where = [placesText(group), about.filter(part => part !== undefined).join(' ')].filter(part => part !== '').join(': ')
  return { what, where: shortened(visible(where), room + 5), ...valuesText(a, b, room) }
}

/** What happens in a step. Everything else holds from there on. */
const MET: readonly What[] = ['reply', 'verdict', 'approval', 'result', 'step', 'outcome']

/** `writer, critic`, with visit and step where they tell something. */
function placesText(group: readonly Decision[]): string {
  const places = group.flatMap(({ what, nodeId, visit = 1, step }) => {
    if (nodeId === undefined) return []
    const from =
      step === undefined || (step === 1 && !MET.includes(what)) ? '' : MET.includes(what) ? ` step ${step}` : ` from step ${step}`
    return [`${nodeId}${visit === 1 ? '' : ` visit ${visit}`}${from}`]
  })
  if (places.length <= MOST_PLACES) return places.join(', ')
  return `${places.slice(0, MOST_PLACES).join(', ')} and ${places.length - MOST_PLACES} more`
}

const MOST_PLACES = 4

function valuesText(a: Json, b: Json, room: number): Pick<Row, 'a' | 'b'> {
  if (Array.isArray(a) && Array.isArray(b)) return listsText(a, b, room)
  const keys = isObject(a) && isObject(b) ? [...new Set([...Object.keys(a), ...Object.keys(b)])] : []
  const cut = cutPair(plain(a, keys), plain(b, keys), room)
  return { a: valueText(cut.a), b: valueText(cut.b) }
}

/** What only the one has, what only the other has. */
function listsText(a: readonly Json[], b: readonly Json[], room: number): Pick<Row, 'a' | 'b'> {
  const told = (list: readonly Json[]): readonly string[] => list.map(item => valueText(plain(item)))
  const [ours, theirs] = [told(a), told(b)]
  const only = (one: readonly string[], other: readonly string[]): string => {
    const left = one.filter(item => !other.includes(item))
    return left.length === 0 ? 'nothing else' : shortened(left.join(', '), room)
  }
  const found = { a: only(ours, theirs), b: only(theirs, ours) }
  return found.a === found.b ? { a: 'the same', b: 'in another order, or more often' } : found
}

const valueText = (value: Json): string => (value === null ? 'none' : visible(String(value)))

/** A text that would read as something else: as nothing, as a number, as a list. */
const MISREAD = /^(?:|none|not said|null|true|false|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\[.*\]|".*")$/is

/** In one text. A verdict is told by its decision and by what it failed of. @param keys that are told even if they are not there */
function plain(value: Json, keys: readonly string[] = []): string | null {
  if (value === null) return null
  if (typeof value === 'string') return MISREAD.test(value) ? JSON.stringify(value) : value
  if (!isObject(value)) return JSON.stringify(value)
  const { decision, ...rest } = value
  const all = [...new Set([...Object.keys(rest), ...keys.filter(key => key !== 'decision')])]
  const told = all.map(key => [key, Object.hasOwn(rest, key) ? (plain(rest[key]!) ?? 'none') : 'not said'] as const)
  const failed = told.find(([, item]) => item.startsWith('failed: '))
  if (typeof decision !== 'string') return told.map(([key, item]) => `${key}: ${item}`).join('; ')
  return failed === undefined ? decision : `${decision} (${failed[0]}): ${failed[1].slice('failed: '.length)}`
}
