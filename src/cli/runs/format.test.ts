// How a call that failed is told: with why, once.
import { expect, it } from 'vitest'
import { digestText } from '../../core/digest/digest.ts'
import { bodiesOf } from './bodies.ts'
import { linesOf } from './format.ts'

const bodies = bodiesOf({ object: () => Promise.reject(new Error('nothing is looked up')) })
const digest = digestText('{}')
const settled = { type: 'call.settled', nodeId: 'coder', call: '1', tool: 'read_file', arguments: digest, result: null } as const

it('a tool that failed says why; of one that was refused, the verdict has said it', async () => {
  const detail = 'a.js does not exist.'
  const lineOf = async (code: string) => (await linesOf({ ...settled, status: 'failed', code, detail }, bodies))[0]!.text
  expect(await lineOf('path_missing')).toBe('  read_file: failed (path_missing): a.js does not exist.')
  expect(await lineOf('tool_refused')).toBe('  read_file: failed (tool_refused)')
  expect((await linesOf({ ...settled, status: 'succeeded' }, bodies))[0]!.text).toBe('  read_file: succeeded')
})
