// The events of a bundle: its bytes are an object, its templates are published in the same commit.
import type { Digest, Json } from '../digest/digest.ts'
import type { EventDraft } from '../record/event.ts'
import type { Projection } from '../record/projection.ts'

export const BUNDLE_INSTALLED = 'bundle.installed'

export interface BundleInstalled {
  readonly name: string
  readonly version: string
  /** The bytes of pack.json. */
  readonly manifest: Digest
  /**
   * The key that signed it; null when the operator allowed it unsigned. With the manifest the signature can be checked
   * again at any time.
   */
  readonly key: string | null
  readonly signature: string | null
  /** The versions that satisfied its dependencies. */
  readonly dependencies: readonly { readonly name: string; readonly range: string; readonly version: string }[]
  /** How many there are in it, and how many of them this commit added. */
  readonly templates: number
  readonly added: number
}

export const bundleInstalledDraft = (installed: BundleInstalled, actor: string): EventDraft => ({
  type: BUNDLE_INSTALLED,
  actor,
  payload: installed as unknown as Json,
})

export const bundleRows: Projection = {
  table: 'bundles',
  columns: { name: 'text', version: 'text', manifest: 'text', key: 'text', templates: 'integer', actor: 'text', at: 'text' },
  key: ['name', 'version'],
  from: {
    [BUNDLE_INSTALLED]: [
      {
        put: {
          name: 'payload.name',
          version: 'payload.version',
          manifest: 'payload.manifest',
          key: 'payload.key',
          templates: 'payload.templates',
          actor: 'actor',
          at: 'at',
        },
      },
    ],
  },
}
