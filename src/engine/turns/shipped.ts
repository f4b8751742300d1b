// Built-in prompt texts of this release. Every step gets the texts that ship when the step starts; its record names their versions.
import { SHIPPED_BLOCKS, type ShippedBlocks } from '../../core/compose/shipped-blocks.ts'
import { catalogText } from './catalog-text.ts'
import { REQUEST_DESCRIPTOR } from './request-implementation.ts'

export interface Shipped {
  readonly blocks: ShippedBlocks
  /** The catalog that planning adds, as the record keeps it. */
  readonly planning: string
}

export const SHIPPED: Shipped = { blocks: SHIPPED_BLOCKS, planning: catalogText([REQUEST_DESCRIPTOR]) }
