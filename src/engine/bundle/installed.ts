// Lists installed bundles. Every tenant sees the bundles of the host.
import type { InstalledVersion } from '../../core/bundle/decide.ts'
import { bundleRows } from '../../core/bundle/events.ts'
import type { Digest } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'

export interface InstalledBundle extends InstalledVersion {
  readonly tenant: string
  /** Who signed it; null when it was let in unsigned. */
  readonly key: string | null
  readonly templates: number
  readonly actor: string
  readonly at: string
}

/** The host's first; of each, oldest first. */
export async function installedBundles(store: Store, tenant: string): Promise<readonly InstalledBundle[]> {
  const found: InstalledBundle[] = []
  for (const owner of new Set([HOST_TENANT, tenant]))
    for await (const { cells } of store.rows(bundleRows.table, owner))
      found.push({
        tenant: owner,
        name: String(cells.name),
        version: String(cells.version),
        manifest: cells.manifest as Digest,
        key: cells.key as string | null,
        templates: Number(cells.templates),
        actor: String(cells.actor),
        at: String(cells.at),
      })
  return found
}
