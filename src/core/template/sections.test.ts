import { describe, expect, it } from 'vitest'
import { parseTemplate } from './parse.ts'
import { findSections } from './sections.ts'

const NAMES = ['INPUT', 'OUTPUT']
function sectionsOf(text: string) {
  const parsed = parseTemplate(text)
  if (!parsed.ok) return expect.fail(text)
  return findSections(parsed.template, NAMES).map(({ name, body, conditional }) => `${name}${conditional ? '?' : ''}:${body.trim()}`)
}

describe('findSections', () => {
  it.each([
    ['# INPUT', ['INPUT:']],
    ['#\t INPUT \t', ['INPUT:']],
    ['## INPUT ##', ['INPUT:']],
    ['## INPUT##  \nx', ['INPUT:x']],
    ['#INPUT', []],
    ['# ', []],
    ['# #', []],
    ['####### INPUT', []],
    ['# INPUT\nx\n#  \ny', ['INPUT:x']],
    [`# INPUT${' '.repeat(300)}b`, ['INPUT:']],
    ['# INPUT\na\n## Aside\nb\n# OUTPUT\nc\n# Else\nd', ['INPUT:a\n## Aside\nb', 'OUTPUT:c']],
  ])('in %j', (text, expected) => expect(sectionsOf(text)).toEqual(expected))

  it('knows which may be left out', () =>
    expect(sectionsOf('# INPUT\n{{#if a}}\n# OUTPUT\nx\n{{else}}\n# INPUT\n{{/if}}\n# OUTPUT\n')).toEqual([
      'INPUT:{{#if a}}',
      'OUTPUT?:x\n{{else}}',
      'INPUT?:{{/if}}',
      'OUTPUT:',
    ]))
})
