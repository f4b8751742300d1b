// onbook prompt render prompt:…: resolves, binds and composes a template of the library, as the host does it. Refs may have labels here.

import { openProductStore } from '../../book/product-store.ts'
import { tenantOf } from '../../book/record-folder.ts'
import type { Json } from '../../core/digest/digest.ts'
import { previewSources, renderRef } from '../../engine/library/render-ref.ts'
import { sessionPacks } from '../../engine/sessions/session-packs.ts'
import type { Input } from '../commands.ts'
import type { Shown } from '../render.ts'

export interface ShownRef extends Shown {
  readonly ref: string
  readonly variableHashes: Readonly<Record<string, string>>
  readonly contentTrust: string
  readonly warnings: readonly string[]
}

export async function renderFromLibrary(input: Input, ref: string, given: Readonly<Record<string, Json>>): Promise<ShownRef> {
  const store = openProductStore(input)
  const tenant = tenantOf(input)
  try {
    const { ref: pinned, rendered } = await renderRef(store, tenant, {
      ref,
      sources: previewSources(tenant, given),
      trust: input.untrusted === true ? 'untrusted' : 'trusted',
      dialect: { labels: true },
      packs: typeof input.session === 'string' ? await sessionPacks(store, tenant, input.session) : null,
    })
    const { text, templateHash: hash, segments, variableHashes, contentTrust, warnings } = rendered
    return { ref: pinned, text, hash, segments, variableHashes, contentTrust, warnings }
  } finally {
    await store.close()
  }
}
