// Workspace snapshots and the names of sync plans in the words of AgentOS. They know nothing of options and of legacy tools.
import { type Digest, isDigest, type Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { isNat } from './config.ts'

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

/** Null for what cannot be frozen: without a version and a root, or with a name that leads to nothing. */
export function fromAosSnapshot(value: Json | undefined): Snapshot | null {
  if (!isObject(value)) return null
  const { workspace, version, root_hash: root, index_ref: index = null } = value
  const prelude = named(value.prompt_pack, value.prompt_pack_ref)
  const catalog = named(value.tool_catalog, value.tool_catalog_ref)
  if (typeof workspace !== 'string' || !isNat(version) || !isHash(root) || !(index === null || isHash(index))) return null
  if (prelude === undefined || catalog === undefined) return null
  return { workspace, version, root, index, prelude: prelude === null ? null : { ...prelude, options: null }, catalog, legacy: false }
}

function named(name: Json | undefined, digest: Json | undefined): { readonly name: string; readonly digest: Digest } | null | undefined {
  if ((name ?? null) === null && (digest ?? null) === null) return null
  return typeof name === 'string' && isHash(digest) ? { name, digest } : undefined
}

const isHash = (value: Json | undefined): value is Digest => typeof value === 'string' && isDigest(value)

const PLANS: readonly (readonly [ours: string, theirs: string])[] = [
  ['prompt_sync', 'aos.agent/core_prompt_sync_from_workspace@1'],
  ['catalog_sync', 'aos.agent/core_tool_catalog_sync_from_workspace@1'],
  ['workspace_sync', 'aos.agent/core_workspace_sync@2'],
  // The one that did everything in one piece.
  ['workspace_sync', 'aos.agent/core_workspace_sync@1'],
]

export const toAosPlanName = (ours: string): string | null => PLANS.find(([name]) => name === ours)?.[1] ?? null
export const fromAosPlanName = (theirs: string): string | null => PLANS.find(([, name]) => name === theirs)?.[0] ?? null
