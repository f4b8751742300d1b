// Each folder says what it is for: one of its files begins with "// Folder: …". Together these lines are the table of rooms.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const PARENTS = ['src', ...['adapters', 'cli', 'core', 'engine', 'host', 'wire'].map(name => join('src', name))]
const MARK = '// Folder: '
const MOST_CHARACTERS = 240

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))

const folders = PARENTS.flatMap(parent =>
  readdirSync(parent, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => join(parent, entry.name)),
).filter(folder => sourcesIn(folder).length > 0)

it.each(folders)('%s says what it is for, in one line of one file', folder => {
  const lines = sourcesIn(folder).flatMap(name => {
    const [first = ''] = readFileSync(join(folder, name), 'utf8').split('\n', 1)
    return first.startsWith(MARK) ? [first] : []
  })
  expect(
    lines.length,
    `Begin the file of ${folder} that a newcomer reads first with "${MARK}…": what the folder does, and what it must not do`,
  ).toBe(1)
  expect(lines[0]).toMatch(/\.$/)
  expect(lines[0]!.length).toBeLessThanOrEqual(MOST_CHARACTERS)
})
