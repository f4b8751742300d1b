// Copies the objects of a run to another store, so that the run can be replayed there. Copies no event.
import type { Digest } from '../../core/digest/digest.ts'
import { linksIn, referencesIn } from '../../core/record/references.ts'
import { runStream } from '../../core/run/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** Erased objects are left out: an event that needs one fails there. */
export async function seedObjects(from: Store, to: Store, tenant: string, runId: string): Promise<void> {
  const named = new Set<Digest>()
  for await (const { event } of from.read(tenant, runStream(runId), -1)) for (const digest of referencesIn(event.payload)) named.add(digest)
  const objects: Uint8Array[] = []
  for (const digest of named) {
    const bytes = await from.object(tenant, digest).catch(error => {
      if (!(error instanceof Fault && error.code === 'object_missing')) throw error
      return null
    })
    if (bytes === null) continue
    for (const link of linksIn(bytes) ?? []) named.add(link)
    objects.push(bytes)
  }
  await to.commit({ tenant, objects })
}
