// Checks whether an argument of a call fits the patterns of a grant. Judges the text alone: opens no file and follows no link.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { allowListed } from '../tools/allow-listed.ts'
import { fitsStars } from '../workspace/stars.ts'

/** Any of these values. A string is a pattern: `*` matches anything within a name, `**` any number of names. All else is literal. */
export type ArgumentPatterns = readonly (string | number | boolean)[]

/** By argument; a dot leads into an object. */
export type ArgumentRules = Readonly<Record<string, ArgumentPatterns>>

/** `unclear`: the target cannot be derived from the text. No grant matches it, and every denial does. */
export type Fit = 'fits' | 'unclear' | 'no'

/** The argument that a shell reads: judged word by word. */
export const COMMAND_LINE = 'cmd'

/** Bounds the time of a match, for every text and pattern. */
const MOST_CHARACTERS = 4_096

export function argumentFit(input: Json, argument: string, patterns: ArgumentPatterns): Fit {
  const value = argumentAt(input, argument.split('.'))
  if (value === undefined) return 'no'
  if (typeof value === 'object' && value !== null) return 'unclear'
  if (typeof value !== 'string' && patterns.some(one => one === value)) return 'fits'
  const text = String(value)
  if (text.length > MOST_CHARACTERS) return 'unclear'
  const texts = patterns.filter(one => typeof one === 'string')
  if (argument === COMMAND_LINE) return typeof value === 'string' && allowListed(value, texts) ? 'fits' : 'unclear'
  const fit = trimmedFit(text, texts)
  // The tool may treat 22 and "22" alike.
  if (typeof value !== 'string') return fit === 'no' ? 'no' : 'unclear'
  return fit === 'no' && patterns.some(one => typeof one !== 'string' && saysTheSame(text, one)) ? 'unclear' : fit
}

/** Undefined when it does not exist. A list on the way, or a name that contains the dot, is returned whole: the path is ambiguous. */
function argumentAt(input: Json, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined || Array.isArray(input)) return input
  if (!isObject(input)) return undefined
  const dotted = rest.map((_, index) => [name, ...rest.slice(0, index + 1)].join('.'))
  if (dotted.some(one => Object.hasOwn(input, one))) return input
  return Object.hasOwn(input, name) ? argumentAt(input[name]!, rest) : undefined
}

const saysTheSame = (text: string, value: number | boolean): boolean =>
  typeof value === 'number' ? text.trim() !== '' && Number(text) === value : folded(text.trim()) === String(value)

/** Some readers leave out blanks at both ends, and some do not. */
function trimmedFit(text: string, patterns: readonly string[]): Fit {
  const [fit, trimmed] = [textFit(text, patterns), text.trim()]
  return trimmed === text || textFit(trimmed, patterns) === fit ? fit : 'unclear'
}

function textFit(text: string, patterns: readonly string[]): Fit {
  if (LEADS_AWAY.test(text)) return 'unclear'
  if (patterns.some(pattern => matchesText(pattern, text))) return 'fits'
  // A file system may ignore case, and the target of a root is unknown.
  return rootOf(text) !== '' || patterns.some(pattern => matchesText(folded(pattern), folded(text))) ? 'unclear' : 'no'
}

/** A backslash is part of a name on one system and ends it on another. */
const LEADS_AWAY = /\\|(?:^|\/)\.\.(?:\/|$)/

export const fitsNothing = (pattern: string): boolean => LEADS_AWAY.test(pattern)

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** A star never matches a root: the pattern must name it. */
const matchesText = (pattern: string, text: string): boolean =>
  rootOf(pattern) === rootOf(text) && fitsStars(namesIn(pattern), namesIn(text), '**', matchesName)

const rootOf = (text: string): string => /^(?:[A-Za-z]:|\/)/.exec(text)?.[0] ?? ''

const namesIn = (text: string): readonly string[] => text.split('/').filter(name => name !== '' && name !== '.')

const matchesName = (pattern: string, name: string): boolean =>
  fitsStars([...pattern], [...name], '*', (one, character) => one === character)
