// Segments that are stored and read are the same segments.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCKS, type BlockSegment } from '../../compose/parts.ts'
import { readSegments, segmentsText } from './stored-segments.ts'

const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const anySegment: fc.Arbitrary<BlockSegment> = fc.record({
  text: fc.string({ unit: 'binary' }),
  block: orNull(fc.constantFrom(...BLOCKS)),
  part: orNull(fc.constantFrom('contract', 'task', 'user')),
  template: orNull(fc.string()),
  layer: orNull(fc.constantFrom('node', 'host-defaults')),
  from: orNull(fc.string()),
  at: orNull(fc.record({ start: fc.nat(), end: fc.nat() })),
  trust: fc.constantFrom('trusted', 'untrusted'),
  secret: orNull(fc.string()),
})

describe('stored segments', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(anySegment), segments => {
        const full = segments.map(({ text }) => text).join('')
        expect(readSegments(segmentsText(segments), full)).toEqual(segments)
      }),
    )
  })

  it('do not repeat what the prompt says', () => {
    const segment: BlockSegment = {
      text: 'A word of the prompt.',
      block: 'task',
      part: 'task',
      template: null,
      layer: null,
      from: 'objective',
      at: null,
      trust: 'trusted',
      secret: null,
    }
    expect(segmentsText([segment])).toBe('[{"length":21,"block":"task","part":"task","from":"objective"}]')
  })
})
