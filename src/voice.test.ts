// The voice of the project, kept by counting: sentences that begin with a banned word, and banned phrases, per folder.
// Every maximum only goes down. Errors, help and reports have none.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GROUPS } from './cli/commands/map.ts'
import { COMMANDS } from './cli/commands.ts'
import { FAULTS } from './errors.ts'

const OPENERS = /^(?:What|Whoever|Whatever|Of|Nobody|Somebody)\b/
const PHRASES =
  /\b(?:is none|are none|speaks? of|spoken of|stands|in force|told|foreign words|mend(?:s|ed)?|(?<!there )is no (?!longer|more|other|need)|takes? up|taken up|unfit|believed?|cage|nobody|somebody|whoever|in earnest)\b/gi

/** Today's counts: [sentences that begin with a banned word, banned phrases]. Lower them when you lower the counts. */
const MOST: Readonly<Record<string, readonly [openers: number, phrases: number]>> = {
  'src/core': [0, 3],
  'src/engine': [0, 0],
  'src/host': [0, 0],
  'src/cli': [20, 21],
  'src/adapters': [0, 0],
  'src/client': [0, 0],
  'src/wire': [0, 0],
  'src/faults': [0, 0],
  'src/book': [0, 0],
  'src/testing': [0, 6],
  docs: [0, 0],
  'README.md': [0, 0],
  'ARCHITECTURE.md': [0, 0],
  'CONTRIBUTING.md': [0, 0],
}

/** Texts that a command or an error prints. */
const PRINTED = ['src/faults', 'src/cli/report', 'src/cli/runs/watch.ts', 'src/cli/runs/tell.ts', 'src/cli/runs/format.ts']

/** Generated pages repeat texts that are counted where they are written. */
const isRead = (path: string): boolean => /\.(?:ts|md)$/.test(path) && !path.startsWith(join('docs', 'reference'))

function filesIn(path: string): readonly string[] {
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(path, { withFileTypes: true })
    .flatMap(entry => filesIn(join(path, entry.name)))
    .filter(isRead)
}

const commentsIn = (source: string): readonly string[] =>
  [...source.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/(?!\/) ?(.*)$/gm)].map(([, block, line]) =>
    (block ?? line ?? '').replace(/^\s*\* ?/gm, ''),
  )

/** A row of a table and an item of a list begin a sentence as well. */
const sentencesIn = (text: string): readonly string[] =>
  text.split(/(?<=[.!?:])\s+|\n\s*(?:[-|*#]+|\d+\.)?\s*|\| /).map(sentence => sentence.trim())

/** Quoted code and shown commands are not prose. */
const proseOf = (page: string): string => page.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, '`')

const textsOf = (path: string): readonly string[] => {
  const text = readFileSync(path, 'utf8')
  return path.endsWith('.md') ? [proseOf(text)] : commentsIn(text)
}

const countIn = (texts: readonly string[]): readonly [number, number] => [
  texts.flatMap(sentencesIn).filter(sentence => OPENERS.test(sentence)).length,
  texts.reduce((count, text) => count + (text.match(PHRASES)?.length ?? 0), 0),
]

const literalsIn = (path: string): readonly string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => !/^\s*(?:\/\/|\/?\*|import )/.test(line))
    .flatMap(line =>
      [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`([^`]*)`|"((?:[^"\\]|\\.)*)"/g)].map(([, one, two, three]) => one ?? two ?? three ?? ''),
    )
    .filter(text => text.includes(' '))
    .map(text => text.replace(/\$\{[^}]*\}/g, '…'))

const isBanned = (text: string): boolean =>
  sentencesIn(text).some(sentence => OPENERS.test(sentence)) || (text.match(PHRASES) ?? []).length > 0

describe('voice', () => {
  it.each(Object.entries(MOST))('%s has no more banned words than it had', (path, most) => {
    const counts = countIn(filesIn(path).flatMap(textsOf))
    if (counts.some((count, at) => count < most[at]!)) console.info(`${path}: fell to [${counts.join(', ')}]; lower its maximum here.`)
    expect(
      counts.filter((count, at) => count > most[at]!),
      `${path} is at [${counts.join(', ')}]: write it in plain English (CONTRIBUTING, Style)`,
    ).toEqual([])
  })

  it('errors, reports and what is printed while a run happens have none', () => {
    const printed = PRINTED.flatMap(filesIn).filter(path => !path.includes('.test.'))
    expect(
      printed.flatMap(path =>
        literalsIn(path)
          .filter(isBanned)
          .map(text => `${path}: ${text}`),
      ),
    ).toEqual([])
    expect(Object.entries(FAULTS).flatMap(([code, { summary = '' }]) => (isBanned(summary) ? [code] : []))).toEqual([])
  })

  it('help has none, and a summary has at most 12 words', () => {
    const summaries = [...COMMANDS.map(({ summary }) => summary), ...Object.values(GROUPS).map(({ summary }) => summary)]
    const texts = [...summaries, ...COMMANDS.flatMap(({ options }) => options.map(({ summary }) => summary))]
    expect([...new Set(texts)].filter(isBanned)).toEqual([])
    expect(summaries.filter(summary => summary.split(/\s+/).length > 12)).toEqual([])
  })
})
