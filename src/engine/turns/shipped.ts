// What comes with the house and is told to agents, as this release words it. Every step is told what ships when it is started; its record says what that was.
import { SHIPPED_BLOCKS, type ShippedBlocks } from '../../core/compose/shipped-blocks.ts'
import { catalogText } from './catalog-text.ts'
import { REQUEST_DESCRIPTOR } from './request-implementation.ts'

export interface Shipped {
  readonly blocks: ShippedBlocks
  /** The catalog that planning adds, as the record keeps it. */
  readonly planning: string
}

export const SHIPPED: Shipped = { blocks: SHIPPED_BLOCKS, planning: catalogText([REQUEST_DESCRIPTOR]) }
