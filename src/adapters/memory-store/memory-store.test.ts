import { it } from 'vitest'
import { storeContract } from '../../testing/contract/store-contract.ts'
import { clock } from '../../testing/stores/sqlite-place.ts'
import { memoryStore } from './memory-store.ts'

const place = async () => ({
  open: async (projections: Parameters<typeof memoryStore>[1]) => memoryStore(clock, projections),
  writer: null,
})
for (const { name, run } of storeContract(place, { processes: false })) it(`in memory, a store ${name}`, run)
