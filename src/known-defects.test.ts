// Every defect of spec/audit/defects.yaml is named by the title of a test, or says why no test names it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

type Row = string | { readonly defect: string; readonly open: string }

const DEFECTS = parse(readFileSync('spec/audit/defects.yaml', 'utf8')) as Record<string, Record<string, Row>>
const TESTS = ['src', 'scripts'].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts'))
    .map(path => readFileSync(join(folder, path), 'utf8')),
)
const TITLES = TESTS.flatMap(text =>
  [...text.matchAll(/(['"`])((?:agentos|openwop|packs|reliability|newcomer) [^\n]*?)\1/g)].map(match => match[2]!),
)

/** A title may name several defects: "reliability D3, agentos D2: …". A number alone belongs to the report before it. */
const namesIn = (title: string): readonly string[] => {
  let report = ''
  return (title.split(':')[0] ?? '').split(',').map(part => {
    const [, named, rest] = /^\s*(agentos|openwop|packs|reliability|newcomer)?\s*(.*?)(?:\s*\(.*)?$/.exec(part) ?? []
    report = named ?? report
    return `${report} ${rest}`
  })
}
const NAMED = new Set(TITLES.flatMap(namesIn))

const rows = Object.entries(DEFECTS).flatMap(([report, list]) =>
  Object.entries(list).map(([id, row]) => ({ name: `${report} ${id}`, row })),
)

it.each(rows)('$name has a test, or a reason', ({ name, row }) => {
  if (typeof row === 'string') expect([...NAMED]).toContain(name)
  else expect(row.open).toMatch(/\w+ \w+/)
})
