// What an agent was told, for a person: whose words they are in short, or the whole prompt with the letter of its author before every line. Pure.
import pc from 'picocolors'
import type { BlameSpan } from '../../core/blame/span.ts'
import type { BlameAnswer } from '../../engine/blame/blame.ts'
import { textWidth } from '../report/cells.ts'
import { columns } from '../report/columns.ts'
import { shortened } from '../report/shortened.ts'
import { visible } from '../report/visible.ts'
import { shortHash, sizeText } from '../runs/format.ts'
import { type Legend, legendOf, type Tone, type Voice } from './blame-legend.ts'

type Colors = ReturnType<typeof pc.createColors>

const WIDTH = 100

/** @param whole the text too, not only whose it is */
export function blamePage(answers: readonly BlameAnswer[], whole: boolean, useColor: boolean): string {
  const color = pc.createColors(useColor)
  return answers.map(answer => nodePage(answer, whole, color)).join('\n')
}

function nodePage(answer: BlameAnswer, whole: boolean, color: Colors): string {
  const legend = legendOf(answer)
  const lines = [headLine(answer, color), ...legendLines(legend, color), ...toolLines(answer, color)]
  return `${[...lines, ...(whole ? [...keyLines(legend, color), ...textLines(answer, legend, color)] : [])].join('\n')}\n`
}

function headLine({ nodeId, visit, step, spans, promptHash, sent, workspace }: BlameAnswer, color: Colors): string {
  const size = spans.at(-1)?.end ?? 0
  const told = sent.kind === 'full' ? 'sent in full' : sent.start === sent.end ? 'sent before' : `last ${sizeText(size - sent.start)} sent`
  const when = `step ${step}${visit === 1 ? '' : ` of visit ${visit}`}`
  const version = workspace === null ? 'no workspace' : `workspace ${workspace.workspace} version ${workspace.version}`
  const node = shortened(visible(`node:${nodeId}`), MOST_NAME)
  const about = visible([when, sizeText(size), shortHash(promptHash), told].join('  '))
  const used = visible(version)
  const blank = textWidth(`▸ ${node}  ${about}  ${used}`) <= WIDTH ? '  ' : '\n    '
  return `▸ ${color.bold(node)}  ${color.dim(about)}${blank}${color.dim(shortened(used, WIDTH - 4))}`
}

function legendLines({ voices }: Legend, color: Colors): readonly string[] {
  const rows = voices.map(({ key, mark, block, what, where, bytes }) => [mark, key, block, sizeText(bytes), what, where])
  return fitted(rows, WIDTH - 2).flatMap((lines, index) => lines.map(line => `  ${paint(color, voices[index]!)(line)}`))
}

const MOST_NAME = 40

/** Rows that end with a name and a place, each in as many lines as the place needs. */
function fitted(rows: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  const named = rows.map(row => [...row.slice(0, -2), shortened(visible(row.at(-2)!), MOST_NAME)])
  const before = columns(named.map(row => [...row, '|'])).split('\n')
  const from = Math.max(0, ...before.map(line => textWidth(line) - 1))
  return rows.map((row, index) => {
    const [first, ...more] = inLines(visible(row.at(-1)!), width - from)
    const start = before[index]!.slice(0, -1)
    return [`${start}${first}`.trimEnd(), ...more.map(line => `${' '.repeat(from)}${line}`)]
  })
}

/** Broken after commas; what is still too long, as a path may be, has its middle left out. */
function inLines(text: string, room: number): readonly string[] {
  const made: string[] = []
  for (const part of text.split(/(?<=,) /)) {
    const last = made.at(-1)
    if (last !== undefined && textWidth(`${last} ${part}`) <= room) made[made.length - 1] = `${last} ${part}`
    else made.push(shortened(part, room))
  }
  return made
}

function toolLines({ tools }: BlameAnswer, color: Colors): readonly string[] {
  if (tools.length === 0) return [color.dim('    no tools shown')]
  const rows = tools.map(({ name, file, line, reason }) => ['   tool', name, file === null ? (reason ?? '') : `${file}:${line}`])
  return fitted(rows, WIDTH).flat()
}

/** What the marks mean, where there are any. */
function keyLines({ voices }: Legend, color: Colors): readonly string[] {
  const says = [
    ...(voices.some(({ mark }) => mark === '!') ? ['! untrusted input'] : []),
    ...(voices.some(({ mark }) => mark === '*') ? ['* place of a secret'] : []),
    '⟦X …⟧ words of X within a line of another',
  ]
  return ['', color.dim(`    ${says.join('   ')}`), '']
}

/** A piece of one line. */
interface Piece {
  readonly text: string
  readonly voice: Voice | null
  readonly line: number | null
}

function textLines(answer: BlameAnswer, legend: Legend, color: Colors): readonly string[] {
  const { spans, prelude, sent } = answer
  const longest = legend.voices.at(-1)?.key.length ?? 1
  const last = [spans, ...prelude.map(one => one.spans)].flat().reduce((most, { line }) => Math.max(most, line ?? 0), 0)
  const margin = `! ${'A'.repeat(longest)}:${last}`.length
  const show = (these: readonly BlameSpan[]) => linesOf(these, legend).flatMap(line => printed(line, margin, color))
  const cut = sent.kind === 'delta' ? spans.findIndex(({ start }) => start >= sent.start) : 0
  const rule = (words: string): readonly string[] => [color.dim(`${' '.repeat(margin)} ┄┄ ${words}`)]
  return [
    ...(cut <= 0 ? [] : [...show(spans.slice(0, cut)), ...rule('only what follows was sent in this step; its provider had the rest')]),
    ...show(cut <= 0 ? spans : spans.slice(cut)),
    ...prelude.flatMap(message => [
      ...rule(visible(`before the history: a message of ${message.role}${message.name === null ? '' : `, prelude ${message.name}`}`)),
      ...show(message.spans),
      ...message.attached.flatMap(what => rule(visible(`with ${what}`))),
    ]),
  ]
}

function linesOf(spans: readonly BlameSpan[], legend: Legend): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]]
  for (const span of spans) {
    const voice = legend.of(span)
    for (const [index, text] of span.text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)!.push({ text, voice, line: span.variable === null ? span.line : null })
    }
  }
  return lines.at(-1)!.length === 0 ? lines.slice(0, -1) : lines
}

/** A line is whose own words are in it; what others put between them stands in brackets. */
function printed(line: readonly Piece[], margin: number, color: Colors): readonly string[] {
  const owner = line.find(({ voice }) => voice?.tone === 'text' || voice?.tone === 'unplaced') ?? line[0]
  const mark =
    line.find(({ voice }) => voice?.mark === '!')?.voice?.mark ?? line.find(({ voice }) => voice?.mark === '*')?.voice?.mark ?? ' '
  const key = owner?.voice === undefined || owner.voice === null ? '' : `${owner.voice.key}${owner.line === null ? '' : `:${owner.line}`}`
  const before = `${mark} ${key}`.padEnd(margin)
  const pieces = line.map(({ text, voice }) => ({
    voice,
    text: voice === owner?.voice ? shown(text) : `⟦${voice?.key ?? ''} ${shown(text)}⟧`,
  }))
  const rows = wrapped(pieces, WIDTH - margin - 3)
  const first = owner?.voice ?? null
  return rows.map((row, index) => {
    const words = row.map(({ text, voice }) => (voice === null ? text : paint(color, voice)(text))).join('')
    const beside = index === 0 ? before : mark.padEnd(margin)
    const margined = first === null ? beside : paint(color, first)(beside)
    return `${margined} ${color.dim('│')} ${words}`.trimEnd()
  })
}

/** Brackets are the page's own: no content can write them. */
const shown = (text: string): string =>
  visible(text.replaceAll('\t', '  ')).replace(/[⟦⟧]/g, sign => `<U+${sign.codePointAt(0)!.toString(16).toUpperCase()}>`)

interface Word {
  readonly text: string
  readonly voice: Voice | null
}

function wrapped(pieces: readonly Word[], width: number): readonly (readonly Word[])[] {
  const rows: Word[][] = [[]]
  let left = width
  for (const { text, voice } of pieces)
    for (const word of text.split(/(?<= )/).flatMap(breakable)) {
      const wide = textWidth(word)
      if (wide > left && left < width) {
        rows.push([])
        left = width
      }
      const row = rows.at(-1)!
      const before = row.at(-1)
      if (before?.voice === voice) row[row.length - 1] = { text: before.text + word, voice }
      else row.push({ text: word, voice })
      left -= wide
    }
  return rows
}

/** A long row of JSON has no blanks to break at. */
const breakable = (word: string): readonly string[] => (word.length > 40 ? (word.match(/.{1,8}/gu) ?? []) : [word])

function paint(color: Colors, { tone, key }: Voice): (text: string) => string {
  const texts = [color.green, color.blue, color.yellow]
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    unplaced: color.dim,
    text: texts[key.charCodeAt(key.length - 1) % texts.length]!,
    value: color.cyan,
    untrusted: color.red,
    secret: color.magenta,
  }
  return tones[tone]
}
