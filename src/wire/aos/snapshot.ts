// Translates workspace snapshots to AgentOS's names. AgentOS's snapshots have no prelude options, no legacy tools and no packs.
import type { Digest } from '../../core/digest/digest.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'

export interface AosSnapshot {
  readonly workspace: string
  readonly version: number | null
  readonly root_hash: Digest | null
  readonly index_ref: Digest | null
  readonly prompt_pack: string | null
  readonly tool_catalog: string | null
  readonly prompt_pack_ref: Digest | null
  readonly tool_catalog_ref: Digest | null
}

export const toAosSnapshot = ({ workspace, version, root, index, prelude, catalog }: Snapshot): AosSnapshot => ({
  workspace,
  version,
  root_hash: root,
  index_ref: index,
  prompt_pack: prelude?.name ?? null,
  tool_catalog: catalog?.name ?? null,
  prompt_pack_ref: prelude?.digest ?? null,
  tool_catalog_ref: catalog?.digest ?? null,
})
