// The references of nodes as the store has noted them, and the path from an object up to an event. Unjudged, like all of an inspection.
import { type Digest, digestOfHex } from '../../../core/digest/digest.ts'
import type { Referrer } from '../../../ports.ts'
import type { Database } from '../database.ts'
import { digestBlob } from '../known-objects.ts'

/** A tree is never as deep; what tampering has tied into a ring ends here too. */
const MOST_STEPS = 1_000

export interface InspectedLinks {
  /** The noted references of the object; an empty name for one that its tenant does not have. */
  references(tenant: string, id: number): readonly string[]
  referrer(tenant: string, digest: string): Referrer
}

export const nameOf = (hex: string | null): string => (hex === null || hex === '' ? '' : digestOfHex(hex))

export function inspectLinks(database: Database): InspectedLinks {
  const children = database.prepare(
    'SELECT lower(hex(objects.digest)) AS hex FROM links LEFT JOIN objects ON objects.id = links.object_id AND objects.tenant = ? WHERE links.parent_id = ?',
  )
  const objectId = database.prepare('SELECT id FROM objects WHERE tenant = ? AND digest = ?')
  const eventOf = database.prepare(
    'SELECT streams.stream, refs.seq FROM refs JOIN streams ON streams.id = refs.stream_id WHERE refs.object_id = ? LIMIT 1',
  )
  const parentOf = database.prepare(
    'SELECT objects.id, lower(hex(objects.digest)) AS hex FROM links JOIN objects ON objects.id = links.parent_id WHERE links.object_id = ? AND objects.tenant = ? LIMIT 1',
  )

  return {
    references: (tenant, id) => (children.all(tenant, id) as unknown as { hex: string | null }[]).map(({ hex }) => nameOf(hex)),
    referrer(tenant, digest) {
      let at = objectId.get(tenant, digestBlob(digest as Digest)) as { id: number; hex?: string } | undefined
      let node: string | null = null
      for (let steps = 0; at !== undefined && steps < MOST_STEPS; steps++) {
        const event = eventOf.get(at.id) as Referrer['event'] | undefined
        if (event !== undefined) return { node, event }
        at = parentOf.get(at.id, tenant) as { id: number; hex: string } | undefined
        node ??= at === undefined ? null : nameOf(at.hex!)
      }
      return { node, event: null }
    },
  }
}
