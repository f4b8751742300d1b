// A replay that two processes walk at the same time, one of them breaking off. For tests that nothing comes of that.
import { expect } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import { createFork } from '../../engine/fork/create.ts'
import { playFork } from '../../engine/fork/play.ts'
import type { Store } from '../../ports.ts'
import { withHistory, withReads } from '../mutations/changed-store.ts'
import { type RunHouse, TENANT } from './run-house.ts'

/** The source with an event after each tool call that no run tells. */
const longer = (house: RunHouse): Store =>
  withHistory(
    withReads(house.store, async function* (tenant, stream, after) {
      for await (const one of house.store.read(tenant, stream, after)) {
        yield one
        const payload = { nodeId: null, level: 'info', message: 'x', code: 'y' } as unknown as Json
        if (stream === runStream('r1') && one.event.type === 'call.settled')
          yield { ...one, event: { ...one.event, type: 'log.appended', payload } }
      }
    }),
    [runStream('r1')],
    event => event,
  )

/** @param steps how many commits the second comes further @param commitsBefore of the first, when the second comes */
export async function walkedByTwo(house: RunHouse, steps: number, commitsBefore: readonly number[]): Promise<void> {
  const from = longer(house)
  const replay = (forkId: string) =>
    createFork(house.store, TENANT, { runId: 'r1', forkId, mode: 'replay', fromSeq: 0, actor: 'ada' }, from)
  await replay(`alone-${steps}`)
  await playFork({ store: house.store, tenant: TENANT, forkId: `alone-${steps}`, from })
  const expected = await house.story(`alone-${steps}`)
  expect(expected.filter(one => one.startsWith('replay.diverged'))).toHaveLength(2)
  for (const before of commitsBefore) {
    const forkId = `pair-${steps}-${before}`
    await replay(forkId)
    let [commits, left] = [0, steps]
    const second: Store = {
      ...house.store,
      commit: async commit => (left-- > 0 ? house.store.commit(commit) : Promise.reject(new Error('gone'))),
    }
    const first: Store = {
      ...house.store,
      async commit(commit) {
        if (commits++ === before) await playFork({ store: second, tenant: TENANT, forkId, from }).catch(() => {})
        return house.store.commit(commit)
      },
    }
    await playFork({ store: first, tenant: TENANT, forkId, from })
    expect([before, await house.story(forkId)]).toEqual([before, expected])
  }
}
