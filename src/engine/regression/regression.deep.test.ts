// Many proposals, each adopted for real: the prediction equals the prompts that runs then get.
import { expect, it } from 'vitest'
import { mispredicted } from '../../testing/mutations/mispredicted.ts'

it('30 proposals', { timeout: 300_000 }, async () => {
  expect(await mispredicted(30, 2026)).toEqual([])
})
