// What is different, as a person sees it: in columns, in colour, and without anything a terminal would act on.
import { describe, expect, it } from 'vitest'
import type { Decision, Differences, TextChange } from '../../core/diff/difference.ts'
import type { Json } from '../../core/digest/digest.ts'
import { diffPage } from './diff-page.ts'

const SIDES = { a: 'run_a', b: 'run_b' }
const page = (found: Partial<Differences>, useColor = false) =>
  diffPage(SIDES, { same: false, decisions: [], texts: [], left: 0, ...found }, { useColor, decisionsOnly: false })
const rows = (...decisions: readonly Decision[]) => page({ decisions }).split('\n').slice(5, -1)

describe('decisions', () => {
  it('stand once for several places', () => {
    const model = (nodeId: string, visit: number, step: number): Decision => ({
      what: 'model',
      nodeId,
      visit,
      step,
      a: 'small',
      b: 'large',
    })
    expect(rows(model('writer', 1, 1), model('critic', 2, 3))).toEqual(['model  writer, critic visit 2 from step 3  small → large'])
  })

  it('a verdict says why', () => {
    const a = { decision: 'allowed', granted: 'passed: a grant names it' }
    const b = { decision: 'refused', granted: 'failed: no grant names it', mode: 'not_reached' }
    expect(rows({ what: 'verdict', nodeId: 'writer', visit: 1, step: 2, name: 'write_file', call: '1', a, b })).toEqual([
      'verdict  writer step 2: write_file (call 1)  allowed → refused (granted): no grant names it',
    ])
  })

  it('of lists only what one has and the other has not', () => {
    expect(rows({ what: 'tools', nodeId: 'writer', visit: 1, step: 1, a: ['read', 'write'], b: ['read'] })).toEqual([
      'tools  writer  write → nothing else',
    ])
  })

  it('what is long stands below, cut to where it differs', () => {
    const long = (end: string) => `${'word '.repeat(200)}${end}`
    const [head, a, b] = rows({ what: 'input', name: 'text', a: long('here'), b: long('there') })
    expect([head, a!.endsWith('word here'), b!.endsWith('word there'), Math.max(a!.length, b!.length) <= 100]).toEqual([
      'input  text',
      true,
      true,
      true,
    ])
  })

  it('both sides begin at the same place, however much follows in one', () => {
    const before = Array.from({ length: 18 }, (_, index) => `word${index} `).join('')
    const [, a, b] = rows({ what: 'reply', a: `${before}LONG ${'and so on '.repeat(100)}`, b: `${before}SHORT` })
    expect([a!.indexOf('LONG'), a!.indexOf('LONG') > 0]).toEqual([b!.indexOf('SHORT'), true])
  })

  it.each<readonly [Json, Json, string]>([
    ['none', null, '"none" → none'],
    ['', null, '"" → none'],
    ['1', 1, '"1" → 1'],
    ['true', true, '"true" → true'],
    ['[1]', { x: 1 }, '"[1]" → x: 1'],
    [{ default: null }, {}, 'default: none → default: not said'],
    ['1.0.0', 'plain', '1.0.0 → plain'],
  ])('%j and %j do not read the same', (a, b, told) => {
    expect(rows({ what: 'input', name: 'x', a, b })).toEqual([`input  x  ${told}`])
  })

  it('nothing in them is acted on', () => {
    expect(rows({ what: 'input', name: 'a\u001b[2J', a: '\u001b[31mred', b: 'x\ny' })).toEqual(['input  a␛[2J  ␛[31mred → x␊y'])
  })
})

describe('texts', () => {
  const text = (...lines: readonly string[]): TextChange => ({
    nodeId: 'writer',
    visit: 1,
    step: 1,
    block: 'task',
    a: null,
    b: null,
    hunks: [{ aStart: 3, aLines: 2, bStart: 3, bLines: 2, lines }],
  })

  it('what changes in the same way elsewhere is shown once', () => {
    const shown = page({ texts: [text(' a', '-b', '+c'), { ...text(' z', '-b', '+c'), nodeId: 'critic' }] })
    expect(shown.split('\n')[3]).toBe('No decision differs, and 2 texts, in 1 way')
    expect(shown.split('\n').slice(5, -1)).toEqual([
      '── writer, step 1, block task',
      '   the same in critic, step 1',
      '@@ A lines 3 to 4, B lines 3 to 4',
      '  a',
      '- b',
      '+ c',
    ])
  })

  it('marks words where there is colour', () => {
    expect(page({ texts: [text('-the very last', '+the last')] }, true)).toContain('\u001b[7mvery \u001b[27m')
    expect(page({ texts: [text('-the very last', '+the last')] })).not.toContain('\u001b')
  })

  it.each([
    ['for one another', ['+']],
    ['among others', ['+', '+more']],
  ])('long lines that stand %s are cut where they differ', (_, [sign, ...more]) => {
    const line = (end: string) => `${'x'.repeat(12_000)}${end}${'y'.repeat(12_000)}`
    const shown = page({ texts: [text(`-${line('HERE')}`, `${sign}${line('THERE')}`, ...more)] }).split('\n')
    expect(shown.find(one => one.startsWith('- '))).toContain('HERE')
    expect(shown.find(one => one.startsWith('+ '))).toContain('THERE')
  })

  it('one that is too long or gone says so, and many lines are counted', () => {
    expect(page({ texts: [{ ...text(), hunks: null, why: 'erased' }] })).toContain('it cannot be read any more')
    expect(page({ texts: [text(...Array.from({ length: 500 }, (_, index) => `+${index}`))] })).toContain('and 301 more lines')
  })
})

it('the same is said in a line, and what is left out is counted', () => {
  expect(page({ same: true })).toBe('A  run_a\nB  run_b\n\nThe same: no decision differs, and no text.\n')
  expect(page({ left: 7, decisions: [{ what: 'mode', a: 'planning', b: 'implementation' }] })).toContain(
    'and 7 more decisions or texts that are not listed',
  )
})
