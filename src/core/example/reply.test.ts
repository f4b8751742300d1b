import { describe, expect, it } from 'vitest'
import { readReply } from './reply.ts'

const refused = (text: string, fences = false) => {
  const read = readReply(text, { fences })
  return read.ok ? expect.fail(`accepted ${text.slice(0, 60)}`) : read.message
}
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('readReply', () => {
  it.each([['{"a":[1,"é😀",null]}'], ['  1\n'], [nested(200)]])('reads %j', text =>
    expect(readReply(text)).toEqual({ ok: true, value: JSON.parse(text) }),
  )

  it('says how a text begins that is no JSON', () => expect(refused('Sure! Here is')).toContain('it begins "Sure! Here is"'))

  it.each([
    ['in a text', '{"a":["\\ud800"]}'],
    ['in a key', '[{"\\udc00":1}]'],
    ['raw', '"\ud800"'],
  ])('refuses half a surrogate pair %s', (_, text) =>
    expect(refused(text)).toBe('The reply holds half a surrogate pair: not valid Unicode'),
  )
  it('refuses numbers that become infinite', () => expect(refused('[1e999]')).toBe('The reply holds a number too large to be one'))
  it.each([201, 20_000, 200_000])('refuses %i levels', depth =>
    expect(refused(nested(depth))).toBe('The reply is nested more than 200 deep'),
  )
})

describe('code fences', () => {
  it.each(['```json\n[1]\n```', '\n ```\n[1]\n\n  ```  \n', '```json  \n[1]\n```'])('are taken off %j when allowed', text => {
    expect(readReply(text, { fences: true })).toEqual({ ok: true, value: [1] })
    expect(refused(text)).toContain('--fences')
  })
  it.each(['```json\n```', '```json\n[1]', '```json\n[1]```', '```js\n[1]\n```', 'See:\n```\n[1]\n```', '```\n[1]\n```\nDone'])(
    'are no excuse for %j',
    text => expect(refused(text, true)).toContain('not JSON'),
  )
})

it('packs small: a fence with CRLF is one, and a key twice in one object is refused', () => {
  expect(readReply('```json\r\n{"a": 1}\r\n```\r\n', { fences: true })).toEqual({ ok: true, value: { a: 1 } })
  expect(readReply('{"a": 1, "a": 2}')).toMatchObject({ ok: false, message: expect.stringContaining('a key twice') })
})
