import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestText, type Json } from '../digest/digest.ts'
import { beginsAsNode, linksIn, MOST_NODE_BYTES, mayBecomeNode, referencesIn } from './references.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const [a, b] = [digestText('a'), digestText('b')]
const anyJson = fc.jsonValue({ stringUnit: 'grapheme' }).map(value => value as Json)

describe('what a node speaks of', () => {
  it('is every digest in it, once, but for hashes, keys and texts around one', () => {
    const node = { $node: b, list: [a, { deep: [a] }], seenHash: a, seenHashes: [{ x: a }], [a]: 1, text: ` ${a}` }
    expect(linksIn(encode(JSON.stringify(node)))).toEqual([b, a])
    expect(linksIn(encode('{"$node":"tree","entries":[]}'))).toEqual([])
  })

  it('follows the rule for payloads, whatever else is in it', () => {
    fc.assert(
      fc.property(anyJson, fc.subarray([a, b]), (more, digests) => {
        const node = { $node: 'any', more, digests }
        expect(linksIn(encode(JSON.stringify(node)))).toEqual(referencesIn(node))
      }),
    )
  })

  it('is the last of two values under one key, as JSON.parse reads it', () => {
    expect(linksIn(encode(`{"$node":1,"x":"${a}","x":"${b}"}`))).toEqual([b])
  })

  it.each([
    ['bytes', new Uint8Array([0, 1, 2])],
    ['nothing', new Uint8Array()],
    ['another key first', encode(`{"x":1,"$node":"${a}"}`)],
    ['a blank before the colon', encode(`{"$node" :"${a}"}`)],
    ['a list', encode(`[{"$node":"${a}"}]`)],
    ['half a node', encode(`{"$node":"${a}"`)],
    ['two nodes', encode(`{"$node":"${a}"}{"$node":"${a}"}`)],
    ['one byte too many', encode(`{"$node":"${a}","x":"${'x'.repeat(MOST_NODE_BYTES)}"}`)],
    ['a text that is not UTF-8', new Uint8Array([...encode(`{"$node":"${a}","x":"`), 0xc3, ...encode('"}')])],
    ['a nest of a million', encode(`{"$node":${'['.repeat(500_000)}${']'.repeat(500_000)}}`)],
  ])('is nothing for %s', (_, bytes) => expect(linksIn(bytes)).toBeNull())

  it('is known from the first bytes, however they come', () => {
    const node = encode(`{"$node":"${a}"}`)
    for (const end of node.keys()) {
      const start = node.subarray(0, end)
      expect([mayBecomeNode(start), beginsAsNode(start)]).toEqual([true, end >= 9])
      if (end > 0 && end <= 9) expect(mayBecomeNode(start.with(end - 1, 0))).toBe(false)
    }
    expect(mayBecomeNode(new Uint8Array(MOST_NODE_BYTES + 1))).toBe(false)
  })
})
