// A verdict holds for the run's state when the call was judged: changes before the call begins are judged again.
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Binding } from '../../../ports.ts'
import { gate } from '../../../testing/models/talking-chat.ts'
import { placeOf, type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'

let house: RunHouse
let written: number
let [reached, goOn] = [gate(), gate()]
afterEach(async () => {
  goOn.open()
  await house.close()
  await house.store.close()
  expect(house.runs.problems).toEqual([])
})

/** A write that is being judged in implementation mode until the test releases the validator. */
beforeEach(async () => {
  written = 0
  ;[reached, goOn] = [gate(), gate()]
  const descriptor = { name: 'write_file', description: 'Writes.', inputSchema: { type: 'object' } }
  const tool: Binding = { descriptor, run: async () => ++written }
  const validator = {
    async ask() {
      reached.open()
      await goOn.passed
      return [{ outcome: 'valid' as const }]
    },
    close: async () => {},
  }
  house = runHouse(({ time }) => (time === 1 ? { tools: [{ toolName: 'write_file', arguments: { path: 'src/a.ts' } }] } : 'Done.'), {
    bindings: new Map([['write_file', tool]]),
    hostCatalog: [descriptor],
    grants: [{ tools: ['*'] }],
    validator,
  })
  await house.create({ id: 'w', objective: 'Write.', mode: 'implementation', nodes: [{ id: 'a' }] })
  await reached.passed
})

async function finish(): Promise<readonly string[]> {
  goOn.open()
  await house.runs.quiet(TENANT, 'r1')
  return (await house.events()).flatMap(event => (event.type === 'call.settled' ? [event.status] : []))
}

it('a call is made that was allowed in the mode the run is still in', async () => {
  expect([await finish(), written]).toEqual([['succeeded'], 1])
})

it('a call is judged by the mode there is when it is begun, and on record as it was judged last', async () => {
  await house.runs.submit(placeOf('r1'), { type: 'setMode', mode: 'planning' })
  expect([await finish(), written]).toEqual([['failed'], 0])
  const judged = (await house.events()).flatMap(event => (event.type === 'call.judged' ? [event.verdict.decision] : []))
  expect(judged).toEqual(['refused'])
  expect((await house.state()).phase).toBe('completed')
})

it('a call of a run that was cancelled meanwhile is not made, and the run ends', async () => {
  await house.runs.submit(placeOf('r1'), { type: 'cancel', reason: null })
  expect([(await finish()).length, written]).toEqual([1, 0])
  expect((await house.state()).phase).toBe('cancelled')
})
