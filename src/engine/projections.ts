// Every table of the product that follows from events, beside the record's own.
import { keyRows } from '../core/access/keys.ts'
import { LIBRARY_PROJECTIONS } from '../core/library/events.ts'
import type { Projection } from '../core/record/projection.ts'

export const PRODUCT_PROJECTIONS: readonly Projection[] = [...LIBRARY_PROJECTIONS, keyRows]
