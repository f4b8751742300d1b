import { expect, it } from 'vitest'
import { startInterval } from './interval.ts'

it('is done again after it failed, one at a time, and not once it is stopped', async () => {
  const failed: unknown[] = []
  let [begun, under] = [0, 0]
  let release = (): void => {}
  const kept = startInterval(
    async () => {
      begun++
      under++
      expect(under).toBe(1)
      if (begun === 1) {
        under--
        throw new Error('first')
      }
      await new Promise<void>(resolve => {
        release = resolve
      })
      under--
    },
    1,
    error => failed.push(error),
  )
  while (begun < 2) await new Promise(resolve => setTimeout(resolve, 1))
  await new Promise(resolve => setTimeout(resolve, 10))
  const stopping = kept.stop()
  let stopped = false
  void stopping.then(() => {
    stopped = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect([begun, stopped]).toEqual([2, false])
  const done = setInterval(() => release(), 1)
  await stopping
  clearInterval(done)
  expect(failed).toMatchObject([{ message: 'first' }])
})
