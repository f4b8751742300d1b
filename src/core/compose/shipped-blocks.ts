// The built-in blocks in the wording of this release. A replayed step uses the blocks that it was composed with.
import { MODE_BLOCKS, type Mode } from './mode.ts'
import type { ShippedTemplate } from './shipped.ts'
import { CALLS_BLOCK, SYSTEM_BLOCK } from './system-block.ts'

export interface ShippedBlocks {
  readonly system: ShippedTemplate
  /** In place of the contract, where a prompt is verbatim and tools are called by line. */
  readonly calls: ShippedTemplate
  readonly modes: Readonly<Record<Mode, ShippedTemplate>>
}

export const SHIPPED_BLOCKS: ShippedBlocks = { system: SYSTEM_BLOCK, calls: CALLS_BLOCK, modes: MODE_BLOCKS }
