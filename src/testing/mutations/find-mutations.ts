// Changes a recorded run, one thing at a time, replays it, and lists the changes that were not found where they are.
import type { Divergence } from '../../core/replay/divergence.ts'
import { replayRun } from '../../engine/replay/replay.ts'
import type { Story } from '../stories/recorded-story.ts'
import { TENANT } from '../stories/run-house.ts'
import { MUTATIONS, type Mutation, type Picking } from './replay-mutations.ts'

/** Every kind in turn. The same for the same seed. */
export async function findsMutations(story: Story, count: number, seed: number): Promise<readonly object[]> {
  const pick = picking(seed)
  const missed: object[] = []
  for (let at = 0; at < count; at += 1) {
    const mutation = MUTATIONS[at % MUTATIONS.length]!(story, pick)
    const { divergences } = await replayRun(mutation.store, TENANT, 'r1')
    if (!isFound(mutation, divergences)) missed.push({ name: mutation.name, ...wanted(mutation), found: divergences.slice(0, 3) })
  }
  return missed
}

const wanted = ({ first, one }: Mutation) => (first === undefined ? { one } : { first })

const isFound = ({ first, one, from = 0 }: Mutation, divergences: readonly Divergence[]): boolean =>
  divergences.every(({ sequence, stream }) => stream !== undefined || sequence >= from) &&
  (first === undefined ? divergences.some(found => says(found, one!)) : divergences[0] !== undefined && says(divergences[0], first))

const says = (found: Divergence, wanted: Partial<Divergence>): boolean =>
  Object.entries(wanted).every(([key, value]) => JSON.stringify(found[key as keyof Divergence]) === JSON.stringify(value))

/** A small generator: what is picked follows from the seed alone. */
export function picking(seed: number): Picking {
  let state = seed
  return bound => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
