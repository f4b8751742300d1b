// Decides which files of a folder are ignored, like git with .gitignore files. Every match takes time in proportion to
// pattern and name.
import { fitsStars } from './stars.ts'

/** Their names in a folder. Where both match a path, the later one decides. */
export const IGNORE_FILES: readonly string[] = ['.gitignore', '.onbookignore']

export interface IgnoreRule {
  readonly segments: readonly Segment[]
  /** A negated rule: it includes the paths again. */
  readonly keeps: boolean
  readonly onlyFolders: boolean
}

/** `**` matches any number of folders; anything else matches one name, character by character. */
type Segment = '**' | readonly Token[]
type Token = '*' | ((character: string) => boolean)

/** The rules of one file, for the paths below its folder. */
export interface IgnoreLayer {
  /** With forward slashes; empty for the root. */
  readonly folder: string
  readonly rules: readonly IgnoreRule[]
}

export const readIgnore = (text: string): readonly IgnoreRule[] =>
  text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap(line => readRule(line) ?? [])

function readRule(line: string): IgnoreRule | null {
  if (line.startsWith('#')) return null
  const keeps = line.startsWith('!')
  const trimmed = (keeps ? line.slice(1) : line).replace(/(?<!\\) +$/, '')
  const onlyFolders = trimmed.endsWith('/')
  const pattern = onlyFolders ? trimmed.slice(0, -1) : trimmed
  if (pattern === '') return null
  const names = pattern.replace(/^\//, '').split('/')
  const anchored = pattern.includes('/')
  const segments: Segment[] = names.map(name => (name === '**' ? '**' : tokensOf(name)))
  // A pattern that ends in /** means the content of a folder, not the folder itself.
  if (names.length > 1 && segments.at(-1) === '**') segments.splice(-1, 0, ['*'])
  return { segments: anchored ? segments : ['**', ...segments], keeps, onlyFolders }
}

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = []
  const characters = [...pattern]
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!
    if (character === '*') tokens.push('*')
    else if (character === '?') tokens.push(() => true)
    else if (character === '[') {
      const end = classEnd(characters, index)
      tokens.push(end === -1 ? () => false : classOf(characters.slice(index + 1, end)))
      index = end === -1 ? characters.length : end
    } else {
      const literal = character === '\\' ? (characters[++index] ?? '\\') : character
      tokens.push(character => character === literal)
    }
  }
  return tokens
}

/** Where a class closes; a bracket that comes first is one of its characters. */
function classEnd(characters: readonly string[], start: number): number {
  const first = /[!^]/.test(characters[start + 1] ?? '') ? start + 2 : start + 1
  for (let index = first; index < characters.length; index++) {
    if (characters[index] === '\\') index++
    else if (characters[index] === ']' && index > first) return index
  }
  return -1
}

function classOf(characters: readonly string[]): Token {
  const negated = characters[0] === '!' || characters[0] === '^'
  const ranges: (readonly [string, string])[] = []
  for (let index = negated ? 1 : 0; index < characters.length; index++) {
    const at = () => (characters[index] === '\\' ? characters[++index]! : characters[index]!)
    const from = at()
    const isRange = characters[index + 1] === '-' && index + 2 < characters.length
    if (isRange) index += 2
    ranges.push([from, isRange ? at() : from])
  }
  return character => ranges.some(([from, to]) => character >= from && character <= to) !== negated
}

/** The last rule that fits decides; a file nearer to the path comes after one above it. The caller must not enter an ignored folder. */
export function isIgnored(layers: readonly IgnoreLayer[], path: string, isFolder: boolean): boolean {
  for (let index = layers.length - 1; index >= 0; index--) {
    const { folder, rules } = layers[index]!
    const names = (folder === '' ? path : path.slice(folder.length + 1)).split('/')
    const rule = rules.findLast(({ segments, onlyFolders }) => (isFolder || !onlyFolders) && fitsPath(segments, names))
    if (rule !== undefined) return !rule.keeps
  }
  return false
}

const fitsPath = (segments: readonly Segment[], names: readonly string[]): boolean =>
  fitsStars(segments, names, '**', (segment, name) =>
    fitsStars(segment as readonly Token[], [...name], '*', (token, one) => (token as (given: string) => boolean)(one)),
  )
