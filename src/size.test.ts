// Files stay small enough to read and folders small enough to look through; both are named after what they hold.
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'

const LINES = 400
const TEST_LINES = 600
const FILES = 30
/** Folders of the command line that still have more. A number only gets smaller, and its line goes with the folder's reshaping. */
const CLI_FILES: Record<string, number> = { 'src/cli': 42, 'src/cli/questions': 43, 'src/cli/report': 34, 'src/cli/runs': 41 }
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/
/** Words that fit any file say nothing about this one. */
const BANNED = 'manager managers service services helper helpers util utils common misc base impl data info new v2'.split(' ')

const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => `${entry.parentPath}/${entry.name}`)

it.each(files)('%s is small', path => {
  const lines = readFileSync(path, 'utf8').split('\n').length - 1
  expect(lines).toBeLessThanOrEqual(path.endsWith('.test.ts') ? TEST_LINES : LINES)
})

const counts = new Map<string, number>()
for (const { parentPath } of readdirSync('src', { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()))
  counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1)

it.each([...counts])('%s has few enough files to look through', (path, count) => {
  expect(count).toBeLessThanOrEqual(CLI_FILES[path] ?? FILES)
})

it.each(files)('%s has a name that says something', path => expect(faultsOf(basename(path))).toEqual([]))

it.each([
  ['resolve.ts', []],
  ['pack.schema.test.ts', []],
  ['fileObjects.ts', ['not kebab-case']],
  ['utils.ts', ['"utils" says nothing']],
  ['prompt-manager.ts', ['"manager" says nothing']],
  ['types.ts', ['types live with the code they describe']],
  ['database.ts', []],
])('judges %s', (name, expected) => expect(faultsOf(name)).toEqual(expected))

function faultsOf(name: string): string[] {
  const words = name.split(/[-.]/)
  const empty = words.filter(word => BANNED.includes(word)).map(word => `"${word}" says nothing`)
  if (name === 'types.ts') empty.push('types live with the code they describe')
  return KEBAB.test(name) ? empty : ['not kebab-case', ...empty]
}
