// A replay judges calls again by the policy that was active, where it is on record, and assumes the verdict where it is not. Real store, real run.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { DEFAULT_POLICY, type HostPolicy } from '../../core/gate/host-policy.ts'
import { emptyHead, writeEvent } from '../../core/record/event.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import { POLICY, recordedStory } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { HOST_POLICY } from '../policy/record-config.ts'
import { ALWAYS_BELIEVED } from './believed.ts'
import { replayRun } from './replay.ts'

let house: RunHouse
beforeAll(async () => {
  house = await recordedStory()
})
afterAll(async () => {
  await house.close()
  await house.store.close()
})

/** With these on record, one after the other, before the run began. */
function under(...policies: readonly HostPolicy[]): Store {
  const all: StoredEvent[] = []
  let last = emptyHead(HOST_TENANT, HOST_POLICY.stream)
  for (const config of policies) {
    const payload = { config, changes: [] } as unknown as Json
    const { event, bytes, head } = writeEvent(last, { type: HOST_POLICY.type, actor: 'ada', payload }, '2020-01-01T00:00:00.000Z')
    all.push({ event, bytes })
    last = head
  }
  return {
    ...house.store,
    async *read(tenant, stream, after) {
      yield* stream === HOST_POLICY.stream ? all.slice(after + 1) : house.store.read(tenant, stream, after)
    },
  }
}
const replay = (store: Store) => replayRun(store, TENANT, 'r1')
const denying = (tool: string): HostPolicy => ({ ...POLICY, grants: [{ tools: [tool], deny: true }, ...POLICY.grants] })

it('believes what was granted where no policy is on record, and says so', async () => {
  expect(await replay(under())).toMatchObject({ identical: true, believed: [...ALWAYS_BELIEVED, 'well_formed', 'bound', 'granted'] })
})

it('judges by the policy that is on record', async () => {
  expect(await replay(house.store)).toMatchObject({ identical: true, believed: [...ALWAYS_BELIEVED, 'well_formed', 'bound'] })
  const { divergences } = await replay(under(denying('probe')))
  expect(divergences.map(({ point, nodeId, field, found }) => [point, nodeId, field, found])).toContainEqual([
    'call.judged',
    'writer',
    'granted',
    'failed: grant 1 denies it',
  ])
})

it('takes an earlier one for granted: a process keeps the policy that it was started with', async () => {
  expect((await replay(under(POLICY, denying('probe')))).identical).toBe(true)
  expect((await replay(under(DEFAULT_POLICY, denying('probe')))).identical).toBe(false)
})

it('names a call of which no policy says what its verdict says, also where a policy is no policy', async () => {
  const { divergences } = await replay(under({ ...POLICY, grants: 7 } as never))
  expect(divergences[0]).toMatchObject({ point: 'event', field: 'event_malformed', expected: 'call.judged', nodeId: 'writer' })
})
