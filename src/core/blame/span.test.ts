// Tests that every byte of a prompt has a source: spans cover all of it, each marker has its variable, and each line its
// place in the file.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Document, type Scalar } from 'yaml'
import { anyTemplateCase } from '../../testing/arbitraries/any-template.ts'
import { fromTemplate } from '../compose/parts.ts'
import { digestText } from '../digest/digest.ts'
import { templatesOfPack } from '../library/from-pack.ts'
import { type LibraryTemplate, templateDigest, type ValueType } from '../library/template.ts'
import { readPack } from '../pack/pack.ts'
import { typeName } from '../pack/type-name.ts'
import { inFile, inPack } from './places.ts'
import { type BlameSpan, bytesIn, spansOf } from './span.ts'

const WRITE = 'Write what happened, in the order in which it happened.'

type Style = 'BLOCK_LITERAL' | 'BLOCK_FOLDED' | 'QUOTE_DOUBLE' | 'PLAIN'

/** A realistic pack. */
function packText(systemPrompt: string, variables: readonly string[], style: Style, more: object = {}): string {
  const document = new Document({
    id: 'prompt-writer-v1.2.3',
    agentId: 'writer',
    version: '1.2.3',
    systemPrompt,
    variables: variables.map(name => ({ name, type: 'string' })),
    inputSchema: 'https://x.example/in.json',
    outputSchema: 'https://x.example/out.json',
    ...more,
  })
  const scalar = document.get('systemPrompt', true) as Scalar
  scalar.type = style
  return document.toString({ lineWidth: style === 'BLOCK_FOLDED' ? 40 : 0 })
}

const published = (template: LibraryTemplate) => ({ ...template, meta: { ...template.meta, source: 'user' as const } })

function templateIn(source: string, kind: LibraryTemplate['kind'] = 'system'): LibraryTemplate {
  const { pack } = readPack(source)
  return published(templatesOfPack(pack!, new Map()).find(one => one.kind === kind)!)
}

function blamed(source: string, values: Readonly<Record<string, string>>, kind: LibraryTemplate['kind'] = 'system'): readonly BlameSpan[] {
  const template = templateIn(source, kind)
  const digest = templateDigest(template)
  const made = fromTemplate('role', kind, {
    ref: 'prompt:writer@1.2.3',
    digest,
    kind,
    layer: 'node',
    template,
    bind: { sources: { input: values } },
  })
  if (!made.ok) throw new Error(JSON.stringify(made.problems))
  const placeAt = inPack('prompts/writer/v1.2.3.yaml', source, template, digest, new Map())!
  const spans = spansOf(made.segments, ({ from, at }) => ({
    kind,
    variable: from,
    source: null,
    placeAt: offset => placeAt(at!.start + offset),
  }))
  checkWhole(spans, made.text)
  return spans
}

function checkWhole(spans: readonly BlameSpan[], text: string): void {
  expect(spans.map(one => one.text).join('')).toBe(text)
  let end = 0
  for (const span of spans) {
    expect([span.start, span.end]).toEqual([end, end + bytesIn(span.text)])
    end = span.end
  }
  expect(end).toBe(new TextEncoder().encode(text).length)
}

const lineOf = (source: string, needle: string): number => source.slice(0, source.indexOf(needle)).split('\n').length
const columnOf = (source: string, needle: string): number => source.indexOf(needle) - source.lastIndexOf('\n', source.indexOf(needle))

const word = fc.constantFrom('ferry', 'Über', '漢字', '🚢', '- item', '# head', 'a: b', "it's", '"quoted"', '\\ back')
const piece = fc.oneof(word, fc.constant('TAG'), fc.constant('\n'), fc.constant('\n\n'), fc.constant(' '))
const anyPrompt = fc.array(piece, { minLength: 1, maxLength: 30 }).map(pieces => {
  let tags = 0
  let words = 0
  const text = pieces.map(one => (one === 'TAG' ? `{{v${tags++}x}}` : one.trim() === '' ? one : `${one} w${words++}e `)).join('')
  return { text: `${WRITE} begin ${text} end`, tags, words }
})

describe('the lines of a pack', () => {
  it.each<Style>(['BLOCK_LITERAL', 'QUOTE_DOUBLE', 'BLOCK_FOLDED'])('are found in a prompt that is written as %s', style => {
    fc.assert(
      fc.property(anyPrompt, ({ text, tags, words }) => {
        const names = Array.from({ length: tags }, (_, index) => `v${index}x`)
        const source = packText(text, names, style)
        const spans = blamed(source, Object.fromEntries(names.map(name => [name, `«${name}»\nand «more»`])))
        for (const name of names) {
          const own = spans.filter(one => one.text.includes(`«${name}»`))
          const tag = `{{${name}}}`
          expect(own.map(({ text: all, variable, line, column }) => [all, variable, line, column])).toEqual([
            [`«${name}»\nand «more»`, name, lineOf(source, tag), columnOf(source, tag)],
          ])
        }
        // A folded line of the prompt takes several lines of the file.
        if (style === 'BLOCK_FOLDED') return
        for (let index = 0; index < words; index++) {
          const own = spans.find(one => one.text.includes(`w${index}e`))!
          expect([own.variable, own.line]).toEqual([null, lineOf(source, `w${index}e`)])
        }
      }),
      { numRuns: 40 },
    )
  })

  it('are those of each example for what is shown of it', () => {
    const examples = ['one', 'two', 'three'].map(name => ({
      name,
      input: { text: name },
      ...(name === 'two' ? {} : { expectedOutput: {} }),
    }))
    const source = packText(WRITE, [], 'PLAIN', { examples })
    expect(blamed(source, {}, 'few-shot').map(({ text, line }) => [text.split('\n')[0], line])).toEqual([
      ['Example: one', lineOf(source, 'name: one')],
      ['Example: three', lineOf(source, 'name: three')],
    ])
  })
})

describe('any template', () => {
  it('is covered byte by byte, and its own words stand in its source where they are said to', () => {
    fc.assert(
      fc.property(anyTemplateCase, fc.boolean(), ({ source, values }, foreign) => {
        const given = Object.entries(values).filter(([, value]) => value !== null)
        const variables = given.map(([name, value]) => ({ name, type: typeName(value) as ValueType, required: false }))
        const trust = foreign ? Object.fromEntries(given.map(([name]) => [name, 'untrusted' as const])) : {}
        const part = { ref: 'prompt:x@1.0.0', digest: digestText(''), kind: 'user', layer: 'node' } as const
        const made = fromTemplate('task', 'user', {
          ...part,
          template: { text: source, variables },
          bind: { sources: { input: Object.fromEntries(given) }, trust },
        })
        if (!made.ok) return
        const placeAt = inFile('x', source)
        const spans = spansOf(made.segments, ({ from, at }) => ({
          kind: null,
          variable: from,
          source: null,
          placeAt: offset => placeAt(at!.start + offset),
        }))
        checkWhole(spans, made.text)
        const lines = source.split('\n')
        for (const { variable, text, line, column } of spans) {
          const there = lines[line! - 1]!.slice(column! - 1)
          expect(variable === null ? `${there}\n`.startsWith(text) : there.startsWith('{{')).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a pack that is not it', () => {
  const source = packText(WRITE, [], 'PLAIN')
  const template = templateIn(source)
  const found = (text: string, digest = templateDigest(template)) => inPack('x.yaml', text, template, digest, new Map())
  it('has no place for the template, however like it is', () => {
    expect(found(source)).not.toBeNull()
    expect(found(source.replace('Write ', 'Writes '))).toBeNull()
    expect(found(source.replaceAll('1.2.3', '1.2.4'))).toBeNull()
    expect(found(source.replaceAll('writer', 'reader'))).toBeNull()
    expect(found(source, digestText('another'))).toBeNull()
    expect(found('version: 1.2.3\n- no pack')).toBeNull()
  })
})
