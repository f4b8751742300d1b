// Random templates over the syntax we support, values to go with them, and near misses.
import fc from 'fast-check'
import type { Json } from '../../core/digest/digest.ts'

export interface TemplateCase {
  readonly source: string
  readonly values: Readonly<Record<string, Json>>
}

// Few names, so that templates find values, and levels hide each other's.
const NAMES = ['a', 'b', 'c', 'items'] as const
const TRICKY_NAMES = ['length', 'constructor', '__proto__', 'toString', 'x-y', 'if', 'else', 'index', '0', '1', '2', 'this', 'p'] as const
const PARAMS = ['p', 'q', 'a', 'items', 'index'] as const

const oneOf = fc.constantFrom
const words = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> => fc.tuple(...parts).map(texts => texts.join(''))
const often = <T>(weight: number, usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: oneOf(...others) })

// Values

const anyKey = fc.oneof({ weight: 4, arbitrary: oneOf(...NAMES) }, { weight: 1, arbitrary: oneOf(...TRICKY_NAMES) })
const anyScalar: fc.Arbitrary<Json> = fc.oneof(
  oneOf<Json>('x', '', 'Ann', '<b>&"\'`=</b>', '&amp;', '{{a}}', '{{#if a}}', '\\{{a}}', ' \n', '0', '1', 'é'),
  oneOf<Json>(0, 1, -1, -0, 2, 1.5, 1e21, -1e-7),
  oneOf<Json>(true, false, null),
)
const { value: anyValue } = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    anyScalar,
    fc.array(tie('value'), { maxLength: 3 }),
    objectOf(fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 4 })),
  ),
}))
const someObject = objectOf(fc.array(fc.tuple(anyKey, anyValue), { minLength: 1, maxLength: 4 }))
/** Always has `items` and mostly the other names, so that most paths lead somewhere. */
const anyValues = fc
  .tuple(
    objectOf(fc.array(fc.tuple(anyKey, anyValue), { minLength: 4, maxLength: 8 })),
    fc.array(fc.oneof(someObject, anyValue), { maxLength: 3 }),
  )
  .map(([values, items]) => ({ ...values, items }))

// Object.fromEntries makes an own property even of `__proto__`.
function objectOf(entries: fc.Arbitrary<[string, Json][]>): fc.Arbitrary<{ readonly [key: string]: Json }> {
  return entries.map(found => Object.fromEntries(found))
}

// Paths

const bracketed = (name: string) => `[${name}]`
const anyPart = fc.oneof(
  { weight: 6, arbitrary: oneOf(...NAMES) },
  { weight: 2, arbitrary: oneOf(...PARAMS) },
  { weight: 1, arbitrary: oneOf('length', 'constructor', '__proto__', 'toString', 'x-y', 'index') },
  { weight: 1, arbitrary: oneOf('[0]', '[1]', ...TRICKY_NAMES.map(bracketed), '[a b]', '[]') },
)
const anyTail = fc.array(words(often(6, '.', '/'), anyPart), { maxLength: 2, size: 'small' }).map(parts => parts.join(''))
const anyLoopPath = words(oneOf('@', '@', '@../', '@../../', '@./'), oneOf('index', 'key', 'first', 'last', 'root'))
const anyPath = fc.oneof(
  { weight: 6, arbitrary: words(anyPart, anyTail) },
  { weight: 3, arbitrary: words(oneOf('this.', './', 'this/', '../', '../../', '../../../', '../this.', './../'), anyPart, anyTail) },
  { weight: 3, arbitrary: oneOf('this', '.', 'this', '..', '../this', '../..', '../.') },
  { weight: 4, arbitrary: anyLoopPath },
  { weight: 2, arbitrary: words(oneOf('@root.', '@root/', '@../root.'), anyPart, anyTail) },
)

// Tags

const tilde = often(5, '', '~')
const gap = often(5, '', ' ', '\n', '  ')
const tag = (...inside: fc.Arbitrary<string>[]) => words(fc.constant('{{'), tilde, ...inside, gap, tilde, fc.constant('}}'))
const must = (text: string) => fc.constant(text)

const anyText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: oneOf('x', 'Hello, ', ' ', '\n', '\r\n', '\t', '  \n', '\n  ', '\n\n', '. ', '-') },
      {
        weight: 1,
        arbitrary: oneOf('}', '}}', '{ {', '<&>', '&amp;', '&#x27;', "'", '"', '=', '`', 'é😀', '\u00a0', '\ufeff', '\f', '\u2028', '\r'),
      },
    ),
    { maxLength: 4 },
  )
  .map(parts => parts.join(''))
const anyOutput = fc.oneof(
  { weight: 6, arbitrary: tag(gap, anyPath) },
  { weight: 1, arbitrary: words(must('{{'), tilde, must('{'), gap, anyPath, gap, must('}'), tilde, must('}}')) },
  { weight: 1, arbitrary: tag(must('&'), gap, anyPath) },
)
const anyComment = fc.oneof(
  words(oneOf('{{!', '{{~!'), oneOf('', ' a note ', '-', ' {{a ', '\n'), oneOf('}}', '~}}')),
  words(oneOf('{{!--', '{{~!--'), oneOf('', ' a note ', ' {{a}} ', '}}', '\n', '--', '~'), oneOf('--}}', '--~}}')),
)
const anyEscaped = words(oneOf('\\', '\\', '\\\\', '\\\\\\'), anyOutput)
/** The text around a tag; many of these put the tag on a line of its own. */
const anyMargin = oneOf(
  ['', ''],
  ['', ''],
  ['\n', '\n'],
  ['', '\n'],
  ['\n', ''],
  ['\n  ', '\r\n'],
  [' \t', ' \t\n'],
  ['\r\n', ' \n'],
  [' ', ' '],
)
const placed = (inner: fc.Arbitrary<string>) => fc.tuple(anyMargin, inner).map(([[before, after], text]) => before + text + after)

// Blocks

interface Opening {
  readonly keyword: string
  readonly text: string
}
const opening = (keyword: string, options: fc.Arbitrary<string>): fc.Arbitrary<Opening> => {
  const subject = fc.oneof({ weight: 2, arbitrary: oneOf('items', 'a', 'b', 'c', 'this', '../items') }, { weight: 1, arbitrary: anyPath })
  return words(must(`${keyword} `), subject, options).map(text => ({ keyword, text }))
}
const anyOpening = fc.oneof(
  opening('if', often(3, '', ' includeZero=true', ' includeZero=false', ' includeZero = true')),
  opening('unless', often(3, '', ' includeZero=true')),
  opening('with', often(2, '', ...PARAMS.map(param => ` as |${param}|`))),
  opening('each', fc.oneof(must(''), words(must(' as |'), oneOf('p', 'a', ' q'), oneOf('', ' q', ' index '), must('|')))),
)
const anyElse = placed(fc.oneof(tag(gap, must('else')), tag(must('^'))))
const anyChained = placed(
  tag(
    gap,
    must('else'),
    oneOf(' ', ' ', '\n'),
    anyOpening.map(({ text }) => text),
  ),
)
/** A tag whose inside is known later. */
const anyFrame = placed(tag(gap, must('INSIDE')))
const fill = (frame: string, sign: string, inside: string) => frame.replace(/(\s*)INSIDE/, (_, space) => sign + space + inside)

const { node: anyNode } = fc.letrec<{ list: string; node: string; block: string }>(tie => ({
  list: fc.array(tie('node'), { maxLength: 5, depthIdentifier: 'template' }).map(nodes => nodes.join('')),
  node: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'template', depthSize: 'small' },
    { weight: 3, arbitrary: anyText },
    { weight: 5, arbitrary: placed(anyOutput) },
    { weight: 1, arbitrary: placed(anyComment) },
    { weight: 1, arbitrary: anyEscaped },
    { weight: 6, arbitrary: tie('block') },
  ),
  block: fc
    .record({
      opening: anyOpening,
      frames: fc.tuple(anyFrame, anyFrame),
      body: tie('list'),
      chain: fc.array(words(anyChained, tie('list')), { maxLength: 2, size: 'small' }),
      otherwise: fc.option(words(anyElse, tie('list')), { nil: '' }),
    })
    .map(({ opening, frames, body, chain, otherwise }) =>
      [fill(frames[0], '#', opening.text), body, ...chain, otherwise, fill(frames[1], '/', opening.keyword)].join(''),
    ),
}))
const anyTemplate = fc.array(anyNode, { minLength: 2, maxLength: 6 }).map(nodes => nodes.join(''))

export const anyTemplateCase: fc.Arbitrary<TemplateCase> = fc.record({ source: anyTemplate, values: anyValues })

// Near misses

const SIGNS = [...'{}~#/^!&@.[]|\\"\'=() \n']
const WORDS = 'if each else unless with as this a root index 1 true -- includeZero'.split(' ')
const PHRASES = '{{ }} {{# {{/ {{#if·a}} {{/if}} {{#each·a {{/each}} {{else {{^ {{{ }}} {{! ·as·| ../ @../'
  .replaceAll('·', '\u00a0')
  .split(' ')
const anySoup = fc
  .array(fc.oneof(oneOf(...SIGNS), oneOf(...WORDS), oneOf(...PHRASES)), { maxLength: 16, size: 'max' })
  .map(parts => parts.join('').replaceAll('\u00a0', ' '))
/** A good template with one place damaged: most stay close to the line between right and wrong. */
const anyDamaged = fc
  .tuple(anyTemplate, fc.nat(), fc.nat(3), oneOf('', '', ...SIGNS, '1', 'this', 'else', ' as |a|'))
  .map(([source, at, length, text]) => {
    const start = at % (source.length + 1)
    return source.slice(0, start) + text + source.slice(start + length)
  })
export const anyGarbageCase: fc.Arbitrary<TemplateCase> = fc.record({
  source: fc.oneof({ weight: 2, arbitrary: anySoup }, { weight: 3, arbitrary: anyDamaged }),
  values: anyValues,
})

/** Language features in a template. Tests count these, so that they cannot silently compare nothing. */
export const FEATURES: Readonly<Record<string, RegExp>> = {
  if: /#\s*if /,
  unless: /#\s*unless /,
  each: /#\s*each /,
  with: /#\s*with /,
  includeZero: /includeZero/,
  'block parameters': /as \|/,
  'plain else': /\{\{~?\s*else\s*~?\}\}/,
  'caret else': /\{\{~?\^\s*~?\}\}/,
  'else if': /\{\{~?\s*else\s+if /,
  'else unless': /\{\{~?\s*else\s+unless /,
  'else each': /\{\{~?\s*else\s+each /,
  'else with': /\{\{~?\s*else\s+with /,
  this: /\{\{~?\s*this\s*~?\}\}/,
  'parent path': /[^@./]\.\.\//,
  'grandparent path': /[^@]\.\.\/\.\.\//,
  'scoped path': /[{\s]\.\/|this[./]/,
  'bracketed path': /\.\[/,
  root: /@root/,
  index: /@index/,
  key: /@key/,
  first: /@first/,
  last: /@last/,
  'outer loop': /@\.\.\/(?:index|key|first|last)/,
  triple: /\{\{~?\{/,
  ampersand: /\{\{~?&/,
  comment: /\{\{~?!(?!--)/,
  'dashed comment': /\{\{~?!--/,
  'trim before': /\{\{~/,
  'trim after': /~\}\}/,
  'standalone line': /\n[ \t]*\{\{[#/^e][^}]*\}\}[ \t]*\r?\n/,
  'escaped tag': /(?:^|[^\\])\\\{\{/,
  'escaped backslash': /\\\\\{\{/,
  'adjacent outputs': /\w\}\}\{\{\w/,
}
