// Tests verifying one run of the record: intact as written, and broken when an object is lost without an erasure on record.
import { expect, it } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import { runStream } from '../../core/run/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { verifyRun } from './verify-run.ts'

const without = (store: Store, digest: Digest): Store => ({
  ...store,
  async *readObject(tenant, name) {
    if (name === digest) throw new Fault('object_missing', { digest })
    yield* store.readObject(tenant, name)
  },
})

it('is intact as it was written, and broken when what it speaks of is gone', async () => {
  const house = runHouse(() => 'Done.')
  await house.go({ id: 'work', nodes: [{ id: 'only' }] })
  await house.close()
  const { store } = house
  expect(await verifyRun(store, 'r1', null, false)).toMatchObject({ intact: true, breaks: [], erased: 0 })
  expect(await verifyRun(store, 'nobody', null, false)).toBeNull()
  let inputs: Digest | null = null
  for await (const { event } of store.read(TENANT, runStream('r1'), -1))
    if (event.type === 'run.created') ({ inputs } = event.payload as unknown as { readonly inputs: Digest })
  expect(await verifyRun(without(store, inputs!), 'r1', null, false)).toMatchObject({
    intact: false,
    breaks: [{ tenant: TENANT, digest: inputs, code: 'object_missing' }],
  })
  await store.close()
})
